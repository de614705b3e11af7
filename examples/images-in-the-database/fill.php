<?php
// Makes pictures of 1.2 MB, which nothing can compress: in the database, and the same ones as files.
[, $address, $folder, $count] = $argv;
$database = pg_connect($address);
for ($id = 1; $id <= $count; $id++) {
    $body = random_bytes(1200000);
    file_put_contents("$folder/$id", $body);
    pg_query_params(
        $database,
        'INSERT INTO pictures VALUES ($1, $2, now(), $3)',
        [$id, "Picture $id", pg_escape_bytea($database, $body)]
    );
}

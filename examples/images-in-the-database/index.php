<?php
// A small gallery: a list, a page of a picture, and the picture itself out of the database.
$database = pg_pconnect($_SERVER['DATABASE']);

// ask: rows of an answer; without one the request fails.
function ask($question, $values = [])
{
    global $database;
    $rows = $database ? pg_query_params($database, $question, $values) : false;
    if ($rows === false || pg_num_rows($rows) === 0) {
        http_response_code(500);
        exit;
    }
    return $rows;
}

$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);

if ($path === '/') {
    header('content-type: text/html; charset=utf-8');
    echo '<title>Gallery</title><ul>';
    $rows = ask('SELECT id, name FROM pictures ORDER BY id LIMIT 20');
    while ($row = pg_fetch_assoc($rows)) {
        echo "<li><a href=\"/picture/{$row['id']}\">{$row['name']}</a>";
    }
    echo '</ul>';
} elseif (preg_match('#^/picture/(\d+)$#', $path, $found)) {
    header('content-type: text/html; charset=utf-8');
    $rows = ask('SELECT name, taken FROM pictures WHERE id = $1', [$found[1]]);
    $row = pg_fetch_assoc($rows);
    echo "<title>{$row['name']}</title><h1>{$row['name']}</h1><p>{$row['taken']}<img src=\"/image/{$found[1]}\">";
} elseif (preg_match('#^/image/(\d+)$#', $path, $found)) {
    header('content-type: image/jpeg');
    $rows = ask('SELECT body FROM pictures WHERE id = $1', [$found[1]]);
    echo pg_unescape_bytea(pg_fetch_result($rows, 0, 0));
} else {
    http_response_code(404);
}

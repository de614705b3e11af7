<?php
// An order: look the article up, take one off the stock, have it paid.
//
// The stock of an article is kept in `rows` rows, of which an order changes one. From its change until the end of the
// transaction nobody else can change that row, and the call of the payment service lies between. The header
// `Server-Timing` tells for how long the row was held.

[$database, $services] = [$_SERVER['DATABASE'], $_SERVER['SERVICES']];
$rows = max(1, (int) ($_GET['rows'] ?? 1));

file_get_contents("$services/hello"); // The catalog.
$connection = pg_pconnect($database);
pg_query($connection, 'BEGIN');
$result = pg_query_params($connection, 'UPDATE stock SET amount = amount - 1 WHERE id = $1 RETURNING amount',
    [mt_rand(1, $rows)]);
$since = hrtime(true);
file_get_contents("$services/echo"); // The payment.
pg_query($connection, 'COMMIT');
header(sprintf('Server-Timing: held;dur=%.3f', (hrtime(true) - $since) / 1e6));
echo pg_fetch_result($result, 0, 0), " left\n";

// Prints the rows of Parquet files as JSON, one a line. Whole numbers of 64 bits become numbers.
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'

const plain = (_, value) => (typeof value === 'bigint' ? Number(value) : value)
for (const path of process.argv.slice(2)) {
  const file = await asyncBufferFromFile(path)
  for (const row of await parquetReadObjects({ file })) console.log(JSON.stringify(row, plain))
}

import { writeFile } from 'node:fs/promises'
import { chartFiles } from './chart-files.ts'

if (process.argv.includes('--help')) {
  console.log(
    'npm run generate:charts writes schemas and tables of values from values.yaml, and the manifests of crds/ that charts carry.',
  )
} else {
  for (const [path, text] of await chartFiles()) await writeFile(new URL(`../../${path}`, import.meta.url), text)
}

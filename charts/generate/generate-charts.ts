import { writeFile } from 'node:fs/promises'
import { chartFiles } from './chart-files.ts'

for (const [path, text] of await chartFiles()) await writeFile(new URL(`../../${path}`, import.meta.url), text)

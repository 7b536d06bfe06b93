import { mkdir, writeFile } from 'node:fs/promises'
import { crdText } from './managed-daemon-crd.ts'

const target = new URL('../../../crds/managed-daemon.yaml', import.meta.url)

if (process.argv.includes('--help')) {
  console.log('npm run generate:crd writes crds/managed-daemon.yaml from the schema in shared/wire/managed-daemon.ts.')
} else {
  await mkdir(new URL('.', target), { recursive: true })
  await writeFile(target, crdText())
}

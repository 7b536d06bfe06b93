import { mkdir, writeFile } from 'node:fs/promises'
import { crdText } from './crd-text.ts'

const target = new URL('../../../crds/managed-daemon.yaml', import.meta.url)

await mkdir(new URL('.', target), { recursive: true })
await writeFile(target, crdText())

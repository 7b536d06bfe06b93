import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { managedDaemonCrd, crdText } from '../../operator/src/crd/managed-daemon-crd.ts'
import { verifies } from '../requirements.ts'

type Schema = { description?: string; properties?: Record<string, Schema>; items?: Schema }

test('the resource definition is what the schemas say', () => {
  verifies('operator.crd-equals-schema')
  const written = readFileSync(new URL('../../crds/managed-daemon.yaml', import.meta.url), 'utf8')
  expect(written, 'run npm run generate:crd').toBe(crdText())
})

test('every field of the resource is described', () => {
  const { spec, status } = managedDaemonCrd().spec.versions[0]!.schema.openAPIV3Schema.properties
  const undescribed = (schema: Schema, path: string): string[] => [
    ...(schema.description === undefined ? [path] : []),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, each]) => undescribed(each, `${path}.${name}`)),
    ...Object.entries(schema.items?.properties ?? {}).flatMap(([name, each]) => undescribed(each, `${path}[].${name}`)),
  ]
  const inner = (schema: Schema, root: string) => undescribed(schema, root).filter((path) => path !== root)
  expect(
    [...inner(spec, 'spec'), ...inner(status, 'status')].filter((path) => !/resources\.(cpu|memory)$/.test(path)),
  ).toEqual([])
})

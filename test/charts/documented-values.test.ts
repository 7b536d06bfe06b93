import { readFileSync } from 'node:fs'
import { expect, inject, test } from 'vitest'
import { parse } from 'yaml'
import { verifies } from '../requirements.ts'
import { leastOffline, merged, type Values } from '../support/chart-values.ts'
import { render } from '../support/helm.ts'

const page = readFileSync(new URL('../../docs/INSTALL.md', import.meta.url), 'utf8')

test('the values that the installation page shows render, and the platform learns the addresses of people', async () => {
  verifies('chart.renders')
  const [, shown = ''] = /```yaml\n(# values\.yaml\n[\s\S]*?)```/.exec(page) ?? []
  const values = parse(shown.replace('sha256:…', `sha256:${'a'.repeat(64)}`)) as Values
  const objects = await render({ helm: inject('helm'), chart: 'svc-platform', values: merged(leastOffline, values) })
  expect(objects.filter(({ kind }) => kind === 'Ingress').length).toBeGreaterThan(0)
  expect(JSON.stringify(objects)).toMatch(/"name":"TRUSTED_PROXIES","value":"[^"]+"/)
})

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

test('the value that the installation page shows for EKS leads to Pod Identity, and to no credentials of the node', async () => {
  verifies('chart.network')
  const [, shown = ''] = /`networkPolicy\.deniedCidrs: (\[.*?\])`/.exec(page) ?? []
  const deniedCidrs = parse(shown) as string[]
  const values = merged(leastOffline, { networkPolicy: { deniedCidrs } })
  const objects = await render({ helm: inject('helm'), chart: 'svc-platform', values })
  const policies = JSON.stringify(objects.filter(({ kind }) => kind === 'NetworkPolicy'))
  for (const block of [
    { cidr: '0.0.0.0/0', except: ['169.254.169.254/32', '169.254.170.2/32'] },
    { cidr: '::/0', except: ['fe80::/10', 'fd00:ec2::254/128'] },
  ])
    expect(policies).toContain(JSON.stringify(block))
})

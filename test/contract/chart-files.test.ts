import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { isKnownReason } from '@svc/shared/wire/daemon/condition-messages.ts'
import { observedStates, type ObservedState } from '@svc/shared/wire/managed-daemon.ts'
import { chartFiles, charts } from '../../charts/generate/chart-files.ts'
import { readValues } from '../../charts/generate/values-file.ts'
import { verifies } from '../requirements.ts'

const root = new URL('../../', import.meta.url)
const textOf = (path: string) => readFileSync(new URL(path, root), 'utf8')

test('schemas, tables of values and carried manifests are as they are generated', async () => {
  verifies('chart.generated')
  for (const [path, text] of await chartFiles()) expect(textOf(path), `${path}: run npm run generate:charts`).toBe(text)
})

test('a value without a comment is refused', () => {
  expect(() => readValues('a:\n  # -- Known.\n  b: 1\n  c: 2\n')).toThrow('a.c has no comment')
  expect(() => readValues('a: 1\n')).toThrow('a has no comment')
})

test.each(charts)('%s has the version of the platform, and images that are no moving target', (chart) => {
  const { version } = JSON.parse(textOf('package.json')) as { version: string }
  expect(parse(textOf(`charts/${chart}/Chart.yaml`))).toMatchObject({ name: chart, version, appVersion: version })
  for (const { path, initial } of readValues(textOf(`charts/${chart}/values.yaml`)))
    if (path.at(-1) === 'image') expect(initial).toMatch(/^[a-z0-9./-]+:\d[\w.-]*$/)
})

test('every value is used by a template', () => {
  for (const chart of charts) {
    const templates = globSync(`charts/${chart}/templates/**/*`, { cwd: fileURLToPath(root) })
      .filter((path) => /\.(ya?ml|tpl|txt)$/i.test(path))
      .map(textOf)
      .join('\n')
    const names = readValues(textOf(`charts/${chart}/values.yaml`)).map(({ path }) => path.at(-1)!)
    const unused = [...new Set(names)].filter((name) => !new RegExp(`\\b${name}\\b`).test(templates))
    expect(unused, chart).toEqual([])
  }
})

type Rule = { alert: string; expr: string }

/** Names of the metrics that the processes export. */
function metricsOf(paths: string[]): Set<string> {
  const texts = paths.map(textOf)
  const named = texts.flatMap((text) => [...text.matchAll(/'(svc_[a-z0-9_]+)'/g)].map(([, name = '']) => name))
  const gauges = texts.flatMap((text) =>
    [...text.matchAll(/gauge\('([a-z0-9_]+)'/g)].map(([, name = '']) => `svc_operator_${name}`),
  )
  return new Set([...named, ...gauges])
}

test('alerts and dashboards read metrics that exist, and every alert has its runbook', () => {
  verifies('chart.alerts', 'operator.down-counted')
  const known = metricsOf(globSync('{control-plane,operator}/src/**/*metrics.ts', { cwd: fileURLToPath(root) }))
  const folder = 'charts/svc-platform/files'
  const { groups } = parse(textOf(`${folder}/alerts.yaml`)) as { groups: { rules: Rule[] }[] }
  const rules = groups.flatMap(({ rules }) => rules)
  const panels = globSync(`${folder}/dashboards/*.json`, { cwd: fileURLToPath(root) }).map(textOf)
  const read = [...rules.map(({ expr }) => expr), ...panels].flatMap((text) => text.match(/\bsvc_[a-z0-9_]+/g) ?? [])
  expect(read.length).toBeGreaterThan(15)
  expect(read.filter((name) => !known.has(name.replace(/_(bucket|count|sum)$/, '')))).toEqual([])

  // Daemons that stop, such as those that fall asleep, are not lost.
  const lost = rules.find(({ alert }) => alert === 'SvcTunnelsLost')
  expect(lost?.expr).toMatch(/- sum\(increase\(svc_relay_tunnels_left_total\{[^}]+\}\[30m\]\)\)/)

  // A state or reason that is renamed must not silence an alert.
  const labels = (name: string) =>
    rules.flatMap(({ expr }) =>
      [...expr.matchAll(new RegExp(`svc_operator_\\w+\\{[^}]*\\b${name}(?:=|!=|=~|!~)"([^"]+)"`, 'g'))].flatMap(
        ([, values = '']) => values.split('|'),
      ),
    )
  expect(labels('reason')).toContain('VolumeLost')
  expect(labels('reason').filter((reason) => !isKnownReason(reason))).toEqual([])
  expect(labels('state')).toContain('running')
  expect(labels('state').filter((state) => !observedStates.includes(state as ObservedState))).toEqual([])

  // A degraded daemon counts in one of these alerts, by its state; one that does not get to sleep serves on.
  const statesOf = (name: string, match: '=~' | '!~') =>
    rules.find(({ alert }) => alert === name)?.expr.split(`svc_operator_degraded{namespace="$NAMESPACE",state${match}"`)
  for (const [name, match] of [
    ['SvcDaemonDown', '!~'],
    ['SvcDaemonsDown', '!~'],
    ['SvcDaemonDegraded', '=~'],
  ] as const) {
    const [, ...states] = statesOf(name, match) ?? []
    expect(states, name).not.toEqual([])
    for (const text of states) expect(text, name).toMatch(/^running\|sleeping\|stopping"/)
  }

  const runbooks = new Set([...textOf('docs/OPERATIONS.md').matchAll(/^### (\w+)$/gm)].map(([, name]) => name))
  expect(rules.map(({ alert }) => alert).filter((alert) => !runbooks.has(alert))).toEqual([])
})

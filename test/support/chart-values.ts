import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import type { ChartName } from './helm.ts'

export type ValueSet = { name: string; chart: ChartName; values: Values }
export type Values = { [name: string]: Values | string | number | boolean | readonly unknown[] }

const variants = parse(readFileSync(new URL('./chart-values.yaml', import.meta.url), 'utf8')) as Record<
  ChartName,
  Record<string, Values>
>

/** The minimal values of svc-platform. */
export const least: Values = {
  imageRegistry: 'registry.example.net/svc',
  baseUrl: 'https://svc.example.net',
  vaultOriginTemplate: 'https://{label}.vaults.example.org',
  database: { existingSecret: 'svc-database' },
  mail: { existingSecret: 'svc-mail' },
  daemons: { image: { digest: `sha256:${'a'.repeat(64)}` } },
}

/** The minimal values for a rendering without a cluster, where the chart makes no key of its own. */
export const leastOffline: Values = merged(least, {
  auth: { existingSecret: 'svc-auth', operatorOrg: 'org_aaaaaaaaaaaaaaaaaaaaaaaa' },
})

/** Values for a platform with several replicas. */
export const production: Values = merged(leastOffline, {
  redis: { existingSecret: 'svc-redis' },
  web: { replicas: 3 },
  worker: { replicas: 2 },
  controlPlane: { trustedProxies: ['10.244.0.0/16'] },
  ingress: { enabled: true, className: 'nginx', tlsSecret: 'svc-tls', vaultTlsSecret: 'vaults-tls' },
  networkPolicy: {
    metricsFrom: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } }],
  },
  monitoring: { serviceMonitor: { enabled: true }, prometheusRule: { enabled: true }, dashboards: { enabled: true } },
})

/** The minimal values of svcd. */
export const leastDaemon: Values = {
  image: { repository: 'registry.example.net/svc/svcd' },
  relay: { url: 'https://svc.example.net/t/org_aaaaaaaaaaaaaaaaaaaaaaaa', existingSecret: 'svcd-relay' },
}

/** Every set of values that the chart tests render. */
export const valueSets: readonly ValueSet[] = [
  { name: 'the least', chart: 'svc-platform', values: least },
  { name: 'production', chart: 'svc-platform', values: production },
  ...variantsOf('svc-platform', least),
  ...variantsOf('svcd', leastDaemon),
]

function variantsOf(chart: ChartName, base: Values): ValueSet[] {
  return Object.entries(variants[chart]).map(([name, change]) => ({ name, chart, values: merged(base, change) }))
}

/** Values overridden by others, merged as Helm does. */
export function merged(below: Values, above: Values): Values {
  const both = Object.entries(above).map(([name, value]) => {
    const under = below[name]
    return [name, isMap(value) && isMap(under) ? merged(under, value) : value]
  })
  return { ...below, ...(Object.fromEntries(both) as Values) }
}

function isMap(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

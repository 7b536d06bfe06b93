import { BlockList, isIPv6 } from 'node:net'
import { expect, inject, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { podsOf } from '../support/chart-checks.ts'
import { leastOffline, merged, type Values } from '../support/chart-values.ts'
import { render, type ChartObject } from '../support/helm.ts'

type Block = { cidr: string; except?: string[] }
type Peer = { ipBlock?: Block; namespaceSelector?: object; podSelector?: { matchLabels?: Record<string, string> } }
type Port = { protocol: string; port: number }
type Rule = { to?: Peer[]; ports?: Port[] }
type Target = Port & { address: string }

const helm = inject('helm')
const rendered = inject('rendered')

/** The rules of every policy that lets its pods reach something, by set of values and name. */
function leaving(): Map<string, Rule[]> {
  const found = new Map<string, Rule[]>()
  for (const [name, objects] of Object.entries(rendered))
    for (const object of objects) {
      const rules = egressOf(object)
      if (rules.length > 0) found.set(`${name}: ${object.metadata.name}`, rules)
    }
  return found
}

function egressOf({ kind, spec }: ChartObject): Rule[] {
  return kind === 'NetworkPolicy' ? ((spec as { egress?: Rule[] }).egress ?? []) : []
}

const covers = (cidr: string, address: string) => {
  const [network = '', bits = ''] = cidr.split('/')
  const list = new BlockList()
  list.addSubnet(network, Number(bits), family(network))
  return family(network) === family(address) && list.check(address, family(address))
}
const family = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4')

const admitsPort = ({ ports }: Rule, { protocol, port }: Port) =>
  ports === undefined || ports.some((each) => each.protocol === protocol && each.port === port)
const admitsByAddress = (rule: Rule, target: Target) =>
  admitsPort(rule, target) &&
  (rule.to === undefined ||
    rule.to.some(
      ({ ipBlock }) =>
        ipBlock !== undefined &&
        covers(ipBlock.cidr, target.address) &&
        !(ipBlock.except ?? []).some((cidr) => covers(cidr, target.address)),
    ))
/** Whether a rule holds on a network that matches pods and nodes by no address, such as Cilium. */
const admitsBeyondAddresses = (rule: Rule, port: Port) =>
  admitsPort(rule, port) && (rule.to === undefined || rule.to.some(({ ipBlock }) => ipBlock === undefined))

test('names can be resolved wherever the resolver is: at pods, on the node, or at a link-local address', () => {
  verifies('chart.network')
  const policies = leaving()
  expect(policies.size).toBeGreaterThan(40)
  for (const [name, rules] of policies)
    for (const protocol of ['UDP', 'TCP'])
      expect(
        rules.some((rule) => admitsBeyondAddresses(rule, { protocol, port: 53 })),
        `${name}: ${protocol}`,
      ).toBe(true)
  const resolvers = ['169.254.20.10', '169.254.25.10', '169.254.169.254', '169.254.169.253', 'fd00:ec2::253']
  for (const chart of ['svc-platform', 'svcd'])
    for (const address of resolvers) {
      const rules = rendered[`${chart}: the least`]!.flatMap(egressOf)
      expect(
        rules.some((rule) => admitsByAddress(rule, { address, protocol: 'UDP', port: 53 })),
        `${chart}: ${address}`,
      ).toBe(true)
    }
})

test('the platform reaches pods and the API server on a network that matches neither by its address', () => {
  verifies('chart.network')
  const policies = [...leaving()].filter(([name]) => name.startsWith('svc-platform: '))
  for (const [name, rules] of policies) {
    const own = rules.flatMap(({ to = [] }) => to).map(({ podSelector }) => podSelector?.matchLabels)
    expect(own, name).toContainEqual({
      'app.kubernetes.io/instance': 'svc',
      'app.kubernetes.io/part-of': 'svc-platform',
    })
    const hosts = !name.startsWith('svc-platform: no operator')
    for (const port of [443, 6443])
      if (!name.startsWith('svc-platform: narrow'))
        expect(
          rules.some((rule) => rule.to === undefined && admitsPort(rule, { protocol: 'TCP', port })),
          `${name}: ${port}`,
        ).toBe(hosts)
  }
  const reach = (name: string) => rendered[`svc-platform: ${name}`]!.flatMap(egressOf).flatMap(({ to = [] }) => to)
  expect(reach('the least')).toContainEqual({ namespaceSelector: {} })
  expect(reach('narrow network policies')).not.toContainEqual({ namespaceSelector: {} })
})

test('the operator reaches hosted daemons on such a network, whatever peers the values name', () => {
  verifies('chart.network')
  const operators = [...leaving()].filter(([name]) => name.endsWith('-operator'))
  expect(operators.length).toBeGreaterThan(40)
  for (const [name, rules] of operators) {
    const pods = podsOf(rendered[name.slice(0, name.lastIndexOf(': '))]!)
    const variables = pods.flatMap(({ pod }) => pod.containers).flatMap(({ env = [] }) => env)
    const namespace = variables.find((variable) => variable.name === 'DAEMON_NAMESPACE')?.value
    expect(namespace, name).toBeDefined()
    expect(
      rules.flatMap(({ to = [] }) => to),
      name,
    ).toContainEqual({
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
    })
  }
})

test('hosted daemons resolve names at the pods with exactly the labels and the port of the values', async () => {
  verifies('chart.network')
  const dnsOf = async (dns: Values) => {
    const objects = await render({ helm, chart: 'svc-platform', values: merged(leastOffline, { daemons: { dns } }) })
    const variables = podsOf(objects).flatMap(({ pod }) => pod.containers.flatMap(({ env = [] }) => env))
    return JSON.parse(variables.find(({ name }) => name === 'DNS_EGRESS')!.value!) as unknown
  }
  const openshift = { 'dns.operator.openshift.io/daemonset-dns': 'default' }
  expect(await dnsOf({})).toEqual({ namespace: 'kube-system', labels: { 'k8s-app': 'kube-dns' } })
  expect(await dnsOf({ namespace: 'openshift-dns', labels: openshift, port: 5353 })).toEqual({
    namespace: 'openshift-dns',
    labels: openshift,
    port: 5353,
  })
  expect(await dnsOf({ cidr: '169.254.20.10/32' })).toEqual({ cidr: '169.254.20.10/32' })
  expect(await dnsOf({ cidr: '169.254.20.10/32', port: 1053 })).toEqual({ cidr: '169.254.20.10/32', port: 1053 })
  expect(await dnsOf({ cidr: '' })).toMatchObject({ namespace: 'kube-system' })
})

test('the test of a release reaches its daemon, whoever else the values admit', () => {
  verifies('chart.network')
  const chosen = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ingress-nginx' } } }
  const objects = rendered['svcd: relay and local']!
  const policies = objects.filter(({ kind }) => kind === 'NetworkPolicy')
  const rules = policies.flatMap(({ spec }) => (spec as { ingress?: { from: Peer[] }[] }).ingress ?? [])
  const peers = rules.flatMap(({ from }) => from)
  expect(peers).toContainEqual(chosen)
  const labels = objects.find(({ metadata }) => metadata.name.endsWith('-test'))!.metadata.labels!
  const admitted = peers.flatMap(({ namespaceSelector, podSelector }) =>
    namespaceSelector === undefined && podSelector?.matchLabels ? [podSelector.matchLabels] : [],
  )
  expect(admitted).toHaveLength(1)
  expect(labels).toMatchObject(admitted[0]!)
})

test('no policy leads to the addresses where clouds hand out credentials of the node', () => {
  verifies('chart.network')
  const credentials = ['169.254.169.254', '169.254.170.2', 'fe80::a9fe:a9fe', 'fd00:ec2::254', 'fd20:ce::254']
  for (const [name, rules] of leaving())
    for (const address of credentials)
      expect(
        rules.filter((rule) => admitsByAddress(rule, { address, protocol: 'TCP', port: 80 })),
        `${name}: ${address}`,
      ).toEqual([])
})

test('where pods have IPv6 addresses, every process listens at them', () => {
  verifies('chart.ipv6')
  for (const chart of ['svc-platform', 'svcd']) {
    const containers = podsOf(rendered[`${chart}: IPv6`]!).flatMap(({ pod }) => pod.containers)
    const listening = containers.flatMap(({ name, env = [] }) =>
      env.filter((variable) => variable.name.endsWith('HOST')).map(({ value }) => `${name} at ${value}`),
    )
    const names = chart === 'svcd' ? ['svcd'] : ['control-plane', 'operator']
    for (const name of names) expect(listening, chart).toContain(`${name} at ::`)
    expect(listening.filter((one) => !one.endsWith(' at ::'))).toEqual([])
  }
})

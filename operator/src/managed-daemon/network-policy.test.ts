import { expect, test } from 'vitest'
import { readOperatorConfig } from '../config.ts'
import { networkPolicy } from './network-policy.ts'

const environment = { IMAGE_REPOSITORY: 'r.example/svcd', RELAY_EGRESS: '{"cidr":"10.0.0.1/32","port":7391}' }

/** The rule by which daemons resolve names. */
function dnsRule(dns?: object) {
  const config = readOperatorConfig({ ...environment, ...(dns && { DNS_EGRESS: JSON.stringify(dns) }) })
  const { reach, probePort } = config.children
  return networkPolicy({ podLabels: {}, probePort, reach }).egress[0]!
}
const at = (port: number) => [
  { protocol: 'UDP', port },
  { protocol: 'TCP', port },
]
const pods = { namespace: 'openshift-dns', labels: { dns: 'default' } }

test('daemons reach the pods that resolve names at the port of these pods', () => {
  expect(dnsRule().ports).toEqual(at(53))
  expect(dnsRule(pods).ports).toEqual(at(53))
  const moved = dnsRule({ ...pods, port: 5353 })
  expect(moved.ports).toEqual(at(5353))
  expect(moved.to).toEqual(dnsRule(pods).to)
  expect(dnsRule({ cidr: '10.0.0.0/8', port: 5353 })).toEqual({
    to: [{ ipBlock: { cidr: '10.0.0.0/8' } }],
    ports: at(5353),
  })
  expect(() => dnsRule({ ...pods, port: 0 })).toThrow('DNS_EGRESS')
})

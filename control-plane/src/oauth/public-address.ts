import { BlockList, isIP } from 'node:net'

// RFC 6890 and its successors: ranges that are not the public internet.
const closed4: [string, number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
]
// Only 2000::/3 of IPv6 is public; these parts of it are not, or embed an IPv4 address.
const closed6: [string, number][] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
]

const closed = new BlockList()
for (const [net, prefix] of closed4) closed.addSubnet(net, prefix, 'ipv4')
for (const [net, prefix] of closed6) closed.addSubnet(net, prefix, 'ipv6')
const open6 = new BlockList()
open6.addSubnet('2000::', 3, 'ipv6')

/** True for an address of the public internet: not this machine, not a private or link-local network. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !closed.check(address, 'ipv4')
  return family === 6 && open6.check(address, 'ipv6') && !closed.check(address, 'ipv6')
}

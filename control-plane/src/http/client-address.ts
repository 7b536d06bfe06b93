import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import proxyAddress from '@fastify/proxy-addr'

type Asked = Pick<IncomingMessage, 'socket' | 'headers'>

/**
 * Determines the client of a request: the nearest address on its way that is not one of our proxies. `trustedProxies`
 * are addresses, CIDR ranges or names such as `loopback`; without any, `X-Forwarded-For` is ignored. A forwarded text
 * that is no address is ignored, too: the caller could choose a new one for each request. Throws a TypeError for a
 * proxy that is no address.
 */
export function createClientAddress(trustedProxies: readonly string[]): (request: Asked) => string {
  const nearest = ({ socket }: Asked) => socket.remoteAddress ?? 'unknown'
  if (trustedProxies.length === 0) return nearest
  const trust = proxyAddress.compile([...trustedProxies])
  return (request) =>
    proxyAddress.all(request as IncomingMessage, trust).findLast((address) => isIP(address) !== 0) ?? nearest(request)
}

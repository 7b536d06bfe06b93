import type { IncomingMessage } from 'node:http'

/**
 * True for a WebSocket upgrade. Other upgrades, such as to HTTP/2, are offers that a server may ignore. Pass it to Node
 * as `shouldUpgradeCallback`: without it, Node takes the request of such an offer for an upgrade and does not serve it.
 */
export const wantsWebSocket = ({ headers }: IncomingMessage): boolean => headers.upgrade?.toLowerCase() === 'websocket'

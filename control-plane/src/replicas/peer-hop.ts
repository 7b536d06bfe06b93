import type { TunnelLimits } from '@svc/shared/mux/tunnel.ts'

/** WebSocket subprotocol between replicas. */
export const PEER_SUBPROTOCOL = 'svc-peer.v1'

/** Both ends of a hop use the same limits, so there is no hello. A dead peer is noticed within 15 s. */
export const peerLimits = {
  maxStreams: 1024,
  maxFrameBytes: 256 * 1024,
  initialWindow: 256 * 1024,
  heartbeatMs: 5_000,
} satisfies TunnelLimits

export const MAX_PEER_MESSAGE_BYTES = peerLimits.maxFrameBytes + 1024

/** Target of a hop at the internal listener of the replica that holds the tunnel. */
export const peerPath = (orgId: string, connectionId: string, epoch: number): string =>
  `/peer/tunnels/${orgId}/${connectionId}?epoch=${epoch}`

/** The parsed target of a hop, or undefined for any other target. */
export function readPeerPath(path: string): { orgId: string; connectionId: string; epoch: number } | undefined {
  const match = /^\/peer\/tunnels\/(org_[a-z2-7]{24})\/([0-9a-f-]{36})\?epoch=(\d{1,15})$/.exec(path)
  const [, orgId, connectionId, epoch] = match ?? []
  return orgId && connectionId ? { orgId, connectionId, epoch: Number(epoch) } : undefined
}

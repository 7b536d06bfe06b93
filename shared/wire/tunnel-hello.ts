import { z } from 'zod'
import { VerificationKey } from './assertions.ts'
import { DaemonId, OrgId } from './ids.ts'
import { text } from './text.ts'

/** WebSocket subprotocol of a tunnel. */
export const TUNNEL_SUBPROTOCOL = 'svc-relay.v1'

// Node turns a longer timer than 2³¹−1 ms into one of 1 ms: a daemon would ping, or dial, without a pause.
const MAX_HEARTBEAT_SECONDS = 3600
const MAX_RECONNECT_MS = 24 * 3600 * 1000
/** A window beyond this breaks the protocol. */
const MAX_WINDOW_BYTES = 0x7fffffff

/** First frame of the daemon. */
export const DaemonHello = z.object({
  protocol: z.literal(1),
  version: text().max(64).describe('Version of svcd.'),
  instanceId: text().max(64).describe('Base64url Ed25519 public key of this home, pinned at the first connect.'),
  proof: text().max(128).describe('Base64url signature of the challenge by that key.'),
  maxFrameBytes: z.number().int().min(16_384).max(16_777_216),
  keyGeneration: z.number().int().min(0).optional().describe('Generation of the presented key, where it has one.'),
})
export type DaemonHello = z.infer<typeof DaemonHello>

/**
 * First frame of the relay, sent before the daemon's: what to sign, the relay's identity, limits, keys to verify
 * requests with.
 */
export const RelayHello = z.object({
  protocol: z.literal(1),
  challenge: z.string().max(128),
  issuer: z.string(),
  orgId: OrgId,
  daemonId: DaemonId,
  replicaId: z.string(),
  connectionId: z.string(),
  maxFrameBytes: z.number().int().min(16_384).max(16_777_216),
  maxStreams: z.number().int().min(1),
  initialWindow: z.number().int().min(1_024).max(MAX_WINDOW_BYTES),
  heartbeatSeconds: z.number().min(1).max(MAX_HEARTBEAT_SECONDS),
  tunnels: z
    .number()
    .int()
    .min(1)
    .max(4)
    .default(1)
    .describe('Tunnels that the relay would like this daemon to hold, to different replicas where there are several.'),
  replicas: z
    .number()
    .int()
    .min(1)
    .default(1)
    .describe('Replicas that take tunnels now; a daemon that meets one twice may hang up and dial again.'),
  keys: z.array(VerificationKey),
})
export type RelayHello = z.infer<typeof RelayHello>

/** Orderly end: stop opening streams here, connect elsewhere after `reconnectAfterMs`. */
export const GoAway = z.object({
  reason: z.enum([
    'draining',
    'key_revoked',
    'replaced',
    'instance_conflict',
    'protocol_error',
    'overloaded',
    'stopping',
  ]),
  reconnectAfterMs: z.number().int().min(0).max(MAX_RECONNECT_MS),
  activity: text()
    .max(64)
    .optional()
    .describe('From a daemon that stops: the sequence of its activity, sent again with each further request.'),
})
export type GoAway = z.infer<typeof GoAway>

/** The text that a daemon signs to prove its instance: bound to one connection of one daemon. */
export function instanceProofText({ orgId, daemonId, connectionId, challenge }: RelayHello): string {
  return ['svc-relay.v1 instance', orgId, daemonId, connectionId, challenge].join('\n')
}

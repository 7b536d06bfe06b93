import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Eventual } from '@svc/shared/kit/eventual.ts'
import type { EntrySession } from './entry-secret.ts'
import { mintAgentAssertion, mintRequestAssertion } from './mint-assertion.ts'
import type { Revocation } from './revocation.ts'
import type { Signer } from './signing-keys.ts'

/** Stop using an assertion this long before it expires, so that it is still valid when the daemon reads it. */
const MARGIN_MS = 10_000
const MAX_SESSIONS = 20_000
const MAX_AGENT_CLAIMS = 2_000
/** Characters of all cached assertions together: those of sessions with many vaults are long. */
const MAX_CHARACTERS = 32 * 1024 * 1024

type Revocations = { onRevocation: (listener: (revocation: Revocation) => void) => void }
type Options = { sign: Signer; clock: Pick<Clock, 'now'> } & Revocations
type AgentCall = Parameters<typeof mintAgentAssertion>[1]

/** The assertions of entry sessions. A session that is admitted to another vault gets a new assertion. */
export const createRequestAssertions = ({ sign, ...rest }: Options) =>
  keepAssertions({
    mint: (session: EntrySession) => mintRequestAssertion(sign, session),
    keyOf: ({ key, vaults }) => [key, ...vaults].join('\n'),
    maxKept: MAX_SESSIONS,
    ...rest,
  })

/** The assertions of agents' calls. What a call may do is decided for each call and is part of the claims. */
export const createAgentAssertions = ({ sign, ...rest }: Options) =>
  keepAssertions({
    mint: (call: AgentCall) => mintAgentAssertion(sign, call),
    keyOf: (call) => JSON.stringify(call),
    maxKept: MAX_AGENT_CLAIMS,
    ...rest,
  })

export type RequestAssertions = ReturnType<typeof createRequestAssertions>
export type AgentAssertions = ReturnType<typeof createAgentAssertions>

type Assertion = Awaited<ReturnType<Signer>>
type Kept<Subject> = Revocations & {
  mint: (subject: Subject) => ReturnType<Signer>
  /** Subjects with the same key share an assertion. */
  keyOf: (subject: Subject) => string
  /** Maximum number of cached assertions. When it is reached, the oldest is dropped. */
  maxKept: number
  clock: Pick<Clock, 'now'>
}

/**
 * Caches one assertion per subject until shortly before it expires: it is signed once, and the daemon verifies it once.
 * Drops all of them when signing keys were withdrawn, because no daemon accepts them any more. Synchronous while a valid
 * assertion is cached.
 */
function keepAssertions<Subject>({ mint, keyOf, maxKept, clock, onRevocation }: Kept<Subject>) {
  /** The oldest first, which expire first: all live equally long. */
  const known = new Map<string, Assertion>()
  const minting = new Map<string, Promise<string>>()
  let characters = 0
  let withdrawals = 0

  const isValid = ({ expiresAt }: Assertion): boolean => expiresAt.getTime() - clock.now().getTime() > MARGIN_MS
  const drop = (key: string, { text }: Assertion): void => {
    known.delete(key)
    characters -= key.length + text.length
  }
  const makeRoom = (wanted: number): void => {
    for (const [key, assertion] of known) {
      if (isValid(assertion) && known.size < maxKept && characters + wanted <= MAX_CHARACTERS) return
      drop(key, assertion)
    }
  }
  const mintAndKeep = async (key: string, subject: Subject): Promise<string> => {
    const current = withdrawals
    const minted = await mint(subject)
    if (current !== withdrawals) return minted.text
    const size = key.length + minted.text.length
    const former = known.get(key)
    if (former !== undefined) drop(key, former)
    makeRoom(size)
    known.set(key, minted)
    characters += size
    return minted.text
  }

  onRevocation(({ kind }) => {
    if (kind !== 'signing_keys') return
    withdrawals += 1
    known.clear()
    minting.clear()
    characters = 0
  })

  return (subject: Subject): Eventual<string> => {
    const key = keyOf(subject)
    const found = known.get(key)
    if (found && isValid(found)) return found.text
    const underWay = minting.get(key)
    if (underWay !== undefined) return underWay
    const pending = mintAndKeep(key, subject).finally(() => {
      if (minting.get(key) === pending) minting.delete(key)
    })
    minting.set(key, pending)
    return pending
  }
}

import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Eventual } from '@svc/shared/kit/eventual.ts'
import type { EntrySession } from '../entry/entry-secret.ts'
import { mintRequestAssertion } from '../entry/mint-assertion.ts'
import type { Signer } from '../entry/signing-keys.ts'

/** Stop using an assertion this long before it expires, so that it is still valid when the daemon reads it. */
const MARGIN_MS = 10_000
const MAX_KNOWN = 20_000

type Options = { sign: Signer; clock: Pick<Clock, 'now'> }
type Minted = { text: string; expiresAt: Date; vaults: number }

/** One assertion for each entry session and half minute, so that the daemon verifies it once. */
export function createRequestAssertions({ sign, clock }: Options) {
  const known = new Map<string, Minted>()
  const minting = new Map<string, Promise<Minted>>()

  const mint = async (session: EntrySession): Promise<Minted> => {
    const minted = { ...(await mintRequestAssertion(sign, session)), vaults: session.vaults.length }
    if (known.size >= MAX_KNOWN) known.clear()
    known.set(session.key, minted)
    return minted
  }

  const mintOnce = (session: EntrySession): Promise<string> => {
    const key = `${session.key}:${session.vaults.length}`
    const pending = minting.get(key) ?? mint(session).finally(() => minting.delete(key))
    minting.set(key, pending)
    return pending.then(({ text }) => text)
  }

  /** The assertion for a request of this session; synchronous while a valid one is known. */
  return (session: EntrySession): Eventual<string> => {
    const found = known.get(session.key)
    const good =
      found && found.expiresAt.getTime() - clock.now().getTime() > MARGIN_MS && found.vaults === session.vaults.length
    return good ? found.text : mintOnce(session)
  }
}

export type RequestAssertions = ReturnType<typeof createRequestAssertions>

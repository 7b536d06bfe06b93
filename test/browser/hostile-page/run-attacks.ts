import { until } from '../../support/until.ts'
import type { Target } from './attacks.browser.ts'
import type { Site } from './sites.ts'
import type { Visit } from './visit.ts'
import type { Seen } from './watching-proxy.ts'

/** The result of one attack: what the page got, and what the attacked servers received. */
export type Outcome = { attack: string; got: string; seen: Seen[] }

const SETTLE_MS = 500
/** An attack that nothing prevents may take as long as a slow machine needs. All others get this short time. */
const PATIENCE_MS = { succeeds: 60_000, fails: 3_000 }
/** Browsers request it by themselves for every page without an icon. */
const ICON = '/favicon.ico'

type Options = {
  site: Site
  visit: Visit
  target: Target
  /** Attacks that are known to reach the server; the run waits for their request. */
  arrives: (attack: string) => boolean
  /** Attacks that get what they want. */
  succeeds: (attack: string) => boolean
}

/** Lets the hostile page try every attack against one target. */
export async function runAttacks({ site, visit, target, arrives, succeeds }: Options): Promise<Outcome[]> {
  const { host } = new URL(target.text)
  const outcomes: Outcome[] = []
  for (const attack of await visit.bait.evaluate(() => globalThis.attackNames)) {
    const from = site.proxy.seen.length
    const seen = () => site.proxy.seen.slice(from).filter((one) => one.host === host && one.path !== ICON)
    const patience = PATIENCE_MS[succeeds(attack) ? 'succeeds' : 'fails']
    const got = await visit.bait.evaluate(([name, at, patienceMs]) => globalThis.attack(name, at, patienceMs), [
      attack,
      target,
      patience,
    ] as const)
    if (arrives(attack)) await until(`${attack} has an answer`, () => seen().some(({ status }) => status > 0))
    outcomes.push({ attack, got, seen: seen() })
  }
  // A request that arrives late cannot be matched with its attack, so it counts for the last one.
  const from = site.proxy.seen.length
  await visit.bait.waitForTimeout(SETTLE_MS)
  outcomes.at(-1)?.seen.push(...site.proxy.seen.slice(from).filter((one) => one.host === host && one.path !== ICON))
  return outcomes
}

import { until } from '../../support/until.ts'
import type { Target } from './attacks.browser.ts'
import type { Site } from './sites.ts'
import type { Visit } from './visit.ts'
import type { Seen } from './watching-proxy.ts'

/** The result of one attack: what the page got, and what the attacked servers received. */
export type Outcome = { attack: string; got: string; seen: Seen[] }

/** Browsers request it by themselves for every page without an icon. */
const ICON = '/favicon.ico'
/**
 * An attack that is prevented may never end. It is given up when this many pages have been opened beside it: each takes a
 * process, a navigation and a response, as the slowest attack does, so a slow machine slows both.
 */
const PAGES = 4

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
  const besides = [ICON, new URL(visit.bait.url()).pathname]
  const seenFrom = (from: number) =>
    site.proxy.seen.slice(from).filter((one) => one.host === host && !besides.includes(one.path))
  const outcomes: Outcome[] = []
  for (const attack of await visit.bait.evaluate(() => globalThis.attackNames)) {
    const from = site.proxy.seen.length
    let isOver = false
    const running = visit.bait.evaluate(([name, at]) => globalThis.attack(name, at), [attack, target] as const)
    const ended = running.finally(() => (isOver = true))
    if (!succeeds(attack)) {
      await openPages(visit, () => isOver)
      await visit.bait.evaluate(() => globalThis.giveUp())
    }
    const got = await ended
    if (arrives(attack)) await until(`${attack} has an answer`, () => seenFrom(from).some(({ status }) => status > 0))
    outcomes.push({ attack, got, seen: seenFrom(from) })
  }
  // A request that arrives late cannot be matched with its attack, so it counts for the last one.
  const from = site.proxy.seen.length
  await openPages(visit, () => false)
  outcomes.at(-1)?.seen.push(...seenFrom(from))
  return outcomes
}

/** Opens the hostile page again, several times one after the other, unless that is not needed any more. */
async function openPages({ context, bait }: Visit, isOver: () => boolean): Promise<void> {
  for (let opened = 0; opened < PAGES && !isOver(); opened += 1) {
    const page = await context.newPage()
    await page.goto(bait.url())
    await page.close()
  }
}

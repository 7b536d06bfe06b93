import { ParsingStopped } from '../note-jobs/parsing-pool.ts'
import { OutOfBudget } from '../search/search-budget.ts'

/** Runs work until its deadline; true when it ended before. */
export async function inTime(work: () => Promise<void>): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    if (error instanceof OutOfBudget || error instanceof ParsingStopped) return false
    throw error
  }
}

/** Collects what is found until the deadline, `most` at most; true when the deadline was kept. */
export const collectInTime = <Item>(into: Item[], find: () => AsyncIterable<Item>, most = Infinity): Promise<boolean> =>
  inTime(async () => {
    for await (const item of find()) if (into.push(item) >= most) return
  })

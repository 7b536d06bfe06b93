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

/** Collects what is found until the deadline; true when that was everything. */
export const collectInTime = <Item>(into: Item[], find: () => AsyncIterable<Item>): Promise<boolean> =>
  inTime(async () => {
    for await (const item of find()) into.push(item)
  })

import { createInterface } from 'node:readline/promises'
import { WrongUse } from './refusal.ts'
import { describePaths } from './reset-installation.ts'

type Removal = {
  paths: string[]
  /** The person has agreed in advance. */
  sure: boolean
  /** The command that does it without asking. */
  again: string
}

/** Shows what will be deleted and asks; throws unless the person agrees. */
export async function confirmRemoval({ paths, sure, again }: Removal): Promise<void> {
  console.error(paths.length === 0 ? '  There is nothing to delete.' : '  To be deleted:')
  for (const line of await describePaths(paths)) console.error(line)
  if (sure || paths.length === 0) return
  if (!process.stdin.isTTY) throw new WrongUse(`Nothing was deleted. To delete this for good: ${again}`)

  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await terminal.question('  Delete all of it for good? Type yes: ').finally(() => terminal.close())
  if (answer.trim() !== 'yes') throw new WrongUse('Nothing was deleted.')
}

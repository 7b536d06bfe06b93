import type { Vault } from '../answers.ts'
import { Time } from '../controls/time.tsx'
import { authorName } from './news-words.ts'

type Props = { vault: Vault; reader: string }

/** Who changed a vault last, and when. */
export function LastChange({ vault: { changedAt, changedBy, notes }, reader }: Props) {
  if (changedAt === undefined || changedBy === undefined) return notes === undefined ? null : 'no changes yet'
  const isAgent = changedBy.kind === 'mcp_client'
  return (
    <>
      <span className={isAgent ? 'last-writer last-writer-agent' : 'last-writer'}>{authorName(changedBy, reader)}</span>{' '}
      {isAgent && <span className="visually-hidden">, an agent, </span>}
      <Time at={changedAt} />
    </>
  )
}

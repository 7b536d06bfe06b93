/** The sign of an agent: its first letter in a hatched square. */
export function AgentMark({ name }: { name: string }) {
  return (
    <span className="agent-mark" aria-hidden="true">
      <b>{Array.from(name)[0]?.toUpperCase()}</b>
    </span>
  )
}

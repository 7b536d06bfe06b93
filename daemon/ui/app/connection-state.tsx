import { failureText } from './failure-text.ts'
import { Icon } from './icon.tsx'
import { useConnection } from './services.ts'

/** Whether the vault's host can be reached. Shows nothing while it can. */
export function ConnectionState() {
  const connection = useConnection()
  return (
    <span className="connection" role="status" aria-label="Connection">
      {connection.state !== 'online' && (
        <>
          <Icon name="warning" />
          {failureText(connection.refusal).title}
        </>
      )}
    </span>
  )
}

import type { Condition } from '../answers.ts'
import { Time } from '../controls/time.tsx'
import { Status, type Tone } from '../controls/status.tsx'
import { Table } from '../controls/table.tsx'

const names: Record<Condition['type'], string> = {
  Ready: 'Ready',
  Progressing: 'In progress',
  Degraded: 'Degraded',
  Paused: 'Paused',
  Sleeping: 'Sleeping',
  ImageResolved: 'Version found',
  StorageHealthy: 'Storage healthy',
  RelayConnected: 'Connected to the relay',
  KeyRotated: 'Key up to date',
}

// Conditions that speak of something amiss, or of a passing state, are not good news when they hold.
const toneWhenTrue: Partial<Record<Condition['type'], Tone>> = {
  Progressing: 'busy',
  Degraded: 'bad',
  Paused: 'warning',
  Sleeping: 'idle',
}

/** The colour of a condition: what it says, not merely whether it holds. */
function toneOf({ type, status }: Condition): Tone {
  if (status === 'Unknown') return 'idle'
  if (status === 'True') return toneWhenTrue[type] ?? 'good'
  return type in toneWhenTrue ? 'idle' : 'warning'
}

const answers = { True: 'Yes', False: 'No', Unknown: 'Not known' }

/** The conditions of a hosted daemon in words. */
export function ConditionsList({ conditions }: { conditions: Condition[] }) {
  return (
    <Table kind="text" columns={['Condition', 'State', 'Why', 'Since']}>
      {conditions.map((condition) => (
        <tr key={condition.type}>
          <th scope="row">{names[condition.type]}</th>
          <td>
            <Status tone={toneOf(condition)}>{answers[condition.status]}</Status>
          </td>
          <td>{condition.message || condition.reason}</td>
          <td>
            <Time at={condition.lastTransitionTime} />
          </td>
        </tr>
      ))}
    </Table>
  )
}

import type { Condition } from '../answers.ts'
import { Time } from '../controls/time.tsx'
import { Status, type Tone } from '../controls/status.tsx'
import { Table } from '../controls/table.tsx'

const names: Record<Condition['type'], string> = {
  Ready: 'Ready',
  Progressing: 'In progress',
  Degraded: 'Needs attention',
  Paused: 'Paused',
  Sleeping: 'Sleeping',
  ImageResolved: 'Version found',
  StorageHealthy: 'Storage healthy',
  RelayConnected: 'Connected',
  KeyRotated: 'Key up to date',
}

// Conditions that describe a problem or a temporary state, for which true is not good news.
const toneWhenTrue: Partial<Record<Condition['type'], Tone>> = {
  Progressing: 'busy',
  Degraded: 'bad',
  Paused: 'warning',
  Sleeping: 'idle',
}

/** The colour of a condition, by its meaning and not only by its status. */
function toneOf({ type, status }: Condition): Tone {
  if (status === 'Unknown') return 'idle'
  if (status === 'True') return toneWhenTrue[type] ?? 'good'
  return type in toneWhenTrue ? 'idle' : 'warning'
}

const answers = { True: 'Yes', False: 'No', Unknown: 'Not known' }

// These conditions are false for a sleeping daemon, which is normal.
function needsLook(condition: Condition, isAsleep: boolean): boolean {
  const tone = toneOf(condition)
  return (tone === 'warning' || tone === 'bad') && !(isAsleep && whileAwake.has(condition.type))
}
const whileAwake = new Set<Condition['type']>(['Ready', 'RelayConnected'])

/** The conditions of a hosted daemon as text: those that need attention are shown, the rest is folded. */
export function ConditionsList({ conditions }: { conditions: Condition[] }) {
  const isAsleep = conditions.some(({ type, status }) => type === 'Sleeping' && status === 'True')
  const amiss = conditions.filter((condition) => needsLook(condition, isAsleep))
  const rest = conditions.filter((condition) => !needsLook(condition, isAsleep))
  return (
    <>
      {amiss.length > 0 && <ConditionsTable conditions={amiss} />}
      {rest.length > 0 && (
        <details>
          <summary>{restWords(rest.length, amiss.length)}</summary>
          <ConditionsTable conditions={rest} />
        </details>
      )}
    </>
  )
}

function restWords(rest: number, amiss: number): string {
  if (amiss === 0)
    return rest === 1 ? 'The condition is as it should be' : `All ${rest} conditions are as they should be`
  return rest === 1 ? 'One other condition is as it should be' : `${rest} other conditions are as they should be`
}

/** Conditions as a table, none of them folded. */
export function ConditionsTable({ conditions }: { conditions: Condition[] }) {
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

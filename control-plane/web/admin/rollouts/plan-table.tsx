import { Empty } from '../../controls/status.tsx'
import { Table } from '../../controls/table.tsx'
import { stateName } from '../../daemons/state-names.ts'
import type { RolloutPlan } from '../admin-answers.ts'

/** How many daemons a plan updates: `total` is the whole fleet. */
export const daemonsToUpdate = ({ total, alreadyThere }: RolloutPlan): number => total - alreadyThere

/** The waves of a plan. */
export function PlanTable({ plan }: { plan: RolloutPlan }) {
  const { alreadyThere, waves } = plan
  const count = daemonsToUpdate(plan)
  if (count === 0)
    return (
      <Empty title="No daemon to update">
        {alreadyThere === 0 ? 'There are no hosted daemons.' : 'All hosted daemons have this image already.'}
      </Empty>
    )
  return (
    <>
      <p>
        {count === 1 ? 'One daemon' : `${count} daemons`} in {waves.length === 1 ? 'one wave' : `${waves.length} waves`}
        {alreadyThere === 1 && '; one has this image already and is left alone'}
        {alreadyThere > 1 && `; ${alreadyThere} have this image already and are left alone`}.
      </p>
      <Table kind="text" columns={['Wave', 'Daemons', 'Asleep, updated when they wake']}>
        {waves.map(({ index, name, members, sleeping }) => (
          <tr key={index}>
            <th scope="row">{stateName(name)}</th>
            <td>{members}</td>
            <td>{sleeping}</td>
          </tr>
        ))}
      </Table>
    </>
  )
}

import { useState, type FormEvent } from 'react'
import { useNavigate } from 'react-router'
import { fieldProblems } from '../../api-failure.ts'
import { pathTo } from '../../app/paths.ts'
import { useSubmit } from '../../app/submit.ts'
import { Button } from '../../controls/button.tsx'
import { TextField } from '../../controls/field.tsx'
import { FailureNotice } from '../../controls/notice.tsx'
import { Section } from '../../controls/section.tsx'
import { adminApi } from '../admin-api.ts'
import type { RolloutPlan } from '../admin-answers.ts'
import { OperationDialog } from '../operation-dialog.tsx'
import { daemonsToUpdate, PlanTable } from './plan-table.tsx'
import { emptyForm, readSettings, type RolloutForm } from './rollout-form.ts'

const fields: { name: keyof RolloutForm; label: string; hint?: string }[] = [
  { name: 'canaries', label: 'First few', hint: 'Daemons that go first.' },
  { name: 'shares', label: 'Waves, in percent', hint: 'Rising, up to 100.' },
  { name: 'soakMinutes', label: 'Quiet minutes', hint: 'Between waves.' },
  { name: 'concurrency', label: 'At a time' },
  { name: 'failureBudget', label: 'Failures allowed', hint: 'One more stops it.' },
]
// The names of fields on the wire, if they differ from the names in the form.
const wireNames: Partial<Record<keyof RolloutForm, string>> = { canaries: 'count', soakMinutes: 'soakSeconds' }

/** Plans a rollout, shows what it would do, and starts it once the number of daemons is typed. */
export function NewRollout({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate()
  const [form, setForm] = useState(emptyForm)
  const [planned, setPlanned] = useState<{ form: RolloutForm; plan: RolloutPlan }>()
  const [starting, setStarting] = useState(false)
  const { pending, failure, submit } = useSubmit()
  const problems = failure === undefined ? new Map<string, string>() : fieldProblems(failure)
  const shown = ['image', ...fields.map(({ name }) => wireNames[name] ?? name)]
  const allShown = problems.size > 0 && [...problems.keys()].every((name) => shown.includes(name))
  const request = { image: form.image.trim(), settings: readSettings(form) }
  // The plan may arrive after the form was changed again: it is only shown for the form that it was made for.
  const plan = planned?.form === form ? planned.plan : undefined

  const makePlan = (event: FormEvent) => {
    event.preventDefault()
    void submit(async () => setPlanned({ form, plan: await adminApi.planRollout(request) }))
  }

  return (
    <Section title="New rollout">
      <form className="stack" onSubmit={makePlan}>
        <TextField
          label="Image"
          required
          autoFocus
          spellCheck={false}
          autoComplete="off"
          value={form.image}
          problem={problems.get('image')}
          onChange={(event) => setForm({ ...form, image: event.target.value })}
        />
        <div className="field-grid">
          {fields.map(({ name, label, hint }) => (
            <TextField
              key={name}
              label={label}
              hint={hint}
              required
              value={form[name]}
              problem={problems.get(wireNames[name] ?? name)}
              onChange={(event) => setForm({ ...form, [name]: event.target.value })}
            />
          ))}
        </div>
        {!allShown && <FailureNotice failure={failure} />}
        <div className="button-row">
          <Button type="submit" look={plan === undefined ? 'primary' : 'plain'} pending={pending}>
            Plan rollout
          </Button>
          <Button look="quiet" onClick={onClose}>
            Cancel
          </Button>
        </div>
      </form>
      {plan !== undefined && (
        <>
          <PlanTable plan={plan} />
          {daemonsToUpdate(plan) > 0 && (
            <div className="button-row">
              <Button look="primary" onClick={() => setStarting(true)}>
                Start rollout
              </Button>
            </div>
          )}
        </>
      )}
      {starting && (
        <OperationDialog
          title="Start the rollout?"
          confirm="Start rollout"
          expected={request.image}
          typed={{ text: countWords(plan === undefined ? 0 : daemonsToUpdate(plan)), name: 'number of daemons' }}
          onClose={() => setStarting(false)}
          run={async (operation) => {
            const rollout = await adminApi.createRollout({ ...operation, ...request })
            await navigate(pathTo.adminRollout(rollout.id))
          }}
        />
      )}
    </Section>
  )
}

const countWords = (count: number) => (count === 1 ? '1 daemon' : `${count} daemons`)

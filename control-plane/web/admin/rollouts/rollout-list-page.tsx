import { useState } from 'react'
import { Page } from '../../app/page.tsx'
import { LiveAge } from '../../live/live-age.tsx'
import { Button } from '../../controls/button.tsx'
import { Loaded } from '../../controls/loaded.tsx'
import { NewRollout } from './new-rollout.tsx'
import { RolloutList } from './rollout-list.tsx'
import { useRollouts } from './use-rollouts.ts'

/** Rollouts of an image over the fleet, newest first. */
export function RolloutListPage() {
  const [cursor, setCursor] = useState<string>()
  const rollouts = useRollouts(cursor)
  const [creating, setCreating] = useState(false)

  return (
    <Page
      title="Rollouts"
      margin={<LiveAge queries={[rollouts]} />}
      note="An image goes over the fleet in waves and stops by itself when too many fail."
      action={
        !creating && (
          <Button look="primary" onClick={() => setCreating(true)}>
            New rollout
          </Button>
        )
      }
    >
      <div className="stack-wide">
        {creating && <NewRollout onClose={() => setCreating(false)} />}
        <Loaded query={rollouts} what="rollouts">
          {(page) => <RolloutList page={page} cursor={cursor} turnTo={setCursor} />}
        </Loaded>
      </div>
    </Page>
  )
}

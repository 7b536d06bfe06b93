import { useLiveQuery } from '../../live/live-query.ts'
import { Loaded } from '../../controls/loaded.tsx'
import { Section } from '../../controls/section.tsx'
import { Time } from '../../controls/time.tsx'
import { ImageName } from '../../daemons/image-name.tsx'
import { adminApi } from '../admin-api.ts'
import { stateName } from '../../daemons/state-names.ts'
import type { LifecycleEvent } from '../admin-answers.ts'

/** What happened to a hosted daemon, newest first. */
export function EventsSection({ orgId }: { orgId: string }) {
  const lifecycle = useLiveQuery({
    queryKey: ['admin', 'organization', orgId, 'events'],
    queryFn: ({ signal }) => adminApi.listEvents(orgId, signal),
    every: () => 2000,
  })
  return (
    <Section title="Lifecycle events">
      <Loaded query={lifecycle} what="events">
        {({ events }) =>
          events.length === 0 ? (
            <p className="fine">Nothing has happened yet.</p>
          ) : (
            <ol className="timeline">
              {events.slice(0, 20).map(({ id, at, kind, observedState, image, reason }) => (
                <li key={id}>
                  <Time at={at} />
                  <span>
                    {eventName({ kind, observedState })}
                    {reason !== undefined && ` (${reason})`}{' '}
                    {image !== undefined && kind !== 'state_observed' && <ImageName image={image} />}
                  </span>
                </li>
              ))}
            </ol>
          )
        }
      </Loaded>
    </Section>
  )
}

const eventNames: Partial<Record<LifecycleEvent['kind'], string>> = {
  entitled: 'Access granted',
  provisioned: 'Daemon made',
  image_roll_started: 'Update began',
  image_rolled: 'Updated',
  image_roll_failed: 'Update failed',
  resource_lost: 'Resource gone',
}

/** A lifecycle event in words; an observation is the state that was seen. */
export function eventName({ kind, observedState }: Pick<LifecycleEvent, 'kind' | 'observedState'>): string {
  return kind === 'state_observed' && observedState !== undefined
    ? stateName(observedState)
    : (eventNames[kind] ?? stateName(kind))
}

import type { AdmissionOffer } from '../answers.ts'
import { api } from '../api.ts'
import { useSession, useSettings } from '../app/session.tsx'
import { useSubmit } from '../app/submit.ts'
import { Button } from '../controls/button.tsx'
import { FailureNotice, Notice } from '../controls/notice.tsx'

/** Organizations that admit people of this domain, and ask before anybody joins. */
export function AdmissionOffers() {
  const { admissionOffers } = useSettings()
  if (admissionOffers.length === 0) return null
  return (
    <div className="stack offers">
      {admissionOffers.map((offer) => (
        <Offer key={offer.organization.id} offer={offer} />
      ))}
    </div>
  )
}

function Offer({ offer: { organization, domain } }: { offer: AdmissionOffer }) {
  const { refresh } = useSession()
  const { pending, failure, submit } = useSubmit()
  const answer = (accept: boolean) =>
    void submit(async () => {
      await api.answerOffer(organization.id, accept)
      await refresh()
    })

  return (
    <Notice
      title={`Join ${organization.name}?`}
      action={
        <div className="button-row">
          <Button
            size="small"
            look="primary"
            pending={pending}
            aria-label={`Join ${organization.name}`}
            onClick={() => answer(true)}
          >
            Join
          </Button>
          <Button
            size="small"
            pending={pending}
            aria-label={`Do not join ${organization.name}`}
            onClick={() => answer(false)}
          >
            No, thanks
          </Button>
        </div>
      }
    >
      <p>
        It admits everybody with an address at <strong>{domain}</strong>. It runs its own host, so whoever runs that
        machine can read what you write in its vaults.
      </p>
      <FailureNotice failure={failure} />
    </Notice>
  )
}

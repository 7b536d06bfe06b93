import { Link } from 'react-router'
import { pathTo } from '../app/paths.ts'
import { useSession } from '../app/session.tsx'

/**
 * The one choice that is permanent: where the daemon of an organization runs. A platform without hosting offers no
 * choice.
 */
export function ModeChoice() {
  const { hosted } = useSession().config
  return (
    <>
      <ul className="mode-choice">
        <li className="card mode">
          <h2>Self-hosted</h2>
          <p className="mode-lead">Your notes stay on a machine of yours.</p>
          <ul className="mode-facts">
            <li>You run one small program, the host, on a computer or server that you control.</li>
            <li>It connects outward to here; no port is opened and no address is needed.</li>
            <li>Vaults can be opened while that machine is on. Backups are yours to make.</li>
          </ul>
          <Link to={pathTo.newOrganization('self-hosted')} className="button button-primary button-normal">
            Choose self-hosted
          </Link>
        </li>
        {hosted && <HostedMode />}
      </ul>
      <p className="fine">
        {hosted
          ? 'The choice is made once for each organization. You can have several, of either kind, and a vault can be exported from one and imported into another.'
          : 'Each organization of this installation runs a host of its own. You can have several organizations.'}
      </p>
    </>
  )
}

function HostedMode() {
  return (
    <li className="card mode">
      <h2>Hosted</h2>
      <p className="mode-lead">We run the host for you.</p>
      <ul className="mode-facts">
        <li>Nothing to install: ready in about a minute, updated for you.</li>
        <li>Your notes are on a volume of your organization’s own, still as plain Markdown files.</li>
        <li>It sleeps when nobody uses it, and wakes in seconds when somebody does.</li>
      </ul>
      <Link to={pathTo.newOrganization('hosted')} className="button button-primary button-normal">
        Choose hosted
      </Link>
    </li>
  )
}

import { useId } from 'react'
import { ThemeChoice } from '@svc/shared/design/theme-choice.tsx'
import { asRefusal } from '../api/refusal.ts'
import { failureText } from '../app/failure-text.ts'
import { Icon } from '../app/icon.tsx'
import { useServices } from '../app/services.ts'
import { useVault } from './vault-context.ts'
import { VaultLink } from './vault-link.tsx'

/** The content of the vault's menu. */
export default function VaultMenuContent({ close }: { close: () => void }) {
  const { client } = useServices()
  const { vault, here, can, show, announce } = useVault()
  const id = useId()
  const { vaults, organization, person, app } = here
  const fail = (thrown: unknown) => announce(failureText(asRefusal(thrown)).title)

  return (
    <>
      <p className="menu-title">{organization ? `Vaults of ${organization.name}` : 'Vaults'}</p>
      <ul className="plain-list">
        {vaults.map((one) => (
          <li key={one.id}>
            <VaultLink vault={one} app={app} className="menu-row" current={one.id === vault.id} onOpen={close}>
              {one.id === vault.id ? <Icon name="check" /> : <i className="menu-gap" />}
              <span>{one.displayName}</span>
            </VaultLink>
          </li>
        ))}
      </ul>
      {can('create_vault') && (
        <button
          type="button"
          className="menu-row"
          onClick={() => {
            close()
            show('new-vault')
          }}
        >
          <Icon name="plus" />
          <span>New vault</span>
        </button>
      )}
      {app && (
        <a className="menu-row" href={app.home}>
          <i className="menu-gap" />
          <span>Other organizations</span>
        </a>
      )}
      <ThemeChoice
        className="menu-themes"
        name={`${id}-theme`}
        onChosen={(theme) => void client.chooseTheme(theme).catch(fail)}
      />
      {app && (
        <>
          <p className="menu-person">Signed in as {person.name}</p>
          <a className="menu-row" href={app.account}>
            <i className="menu-gap" />
            <span>Account</span>
          </a>
          <button
            type="button"
            className="menu-row"
            onClick={() => void client.leave(app.leave).then(() => window.location.assign(app.home), fail)}
          >
            <i className="menu-gap" />
            <span>Leave this vault</span>
          </button>
        </>
      )}
    </>
  )
}

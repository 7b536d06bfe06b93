import { useState } from 'react'
import { lazyPart } from '../parts/lazy-part.tsx'
import type { Hands } from '../app/shortcut-actions.ts'
import { useServices } from '../app/services.ts'
import { NewNoteDialog } from '../note/new-note-dialog.tsx'
import { CommandPalette } from '../palette/command-palette.tsx'
import { commands, type CommandHands } from '../palette/palette-commands.ts'
import { QuickSwitcher } from '../search/quick-switcher.tsx'
import { useDeleteFile } from '../tree/use-delete-file.ts'
import { useUpload } from '../tree/use-upload.ts'
import NewVaultDialog from './new-vault-dialog.tsx'
import { useVault, type Overlay } from './vault-context.ts'

// Reading a note loads none of these.
const CheatSheet = lazyPart(() => import('../app/cheat-sheet.tsx'))
const MoveDialog = lazyPart(() => import('../tree/move-dialog.tsx'))
const TemplatePicker = lazyPart(() => import('../templates/template-picker.tsx'))
const NewFolderDialog = lazyPart(() => import('../tree/new-folder-dialog.tsx'))

type Props = CommandHands & {
  overlay: Overlay | undefined
  recents: readonly string[]
  hands: Hands
  newNoteIn: string
  onVaultsChanged: () => void
}

/** Everything that can be shown over the page; one thing at a time. */
export default function Overlays({ overlay, recents, hands, newNoteIn, onVaultsChanged, ...forCommands }: Props) {
  const { client, navigation } = useServices()
  const vault = useVault()
  const { show } = vault
  const deleteFile = useDeleteFile(vault)
  const upload = useUpload()
  const [typedName, setTypedName] = useState<string>()
  const close = () => {
    setTypedName(undefined)
    show(undefined)
  }

  if (typeof overlay === 'object') {
    if ('templateFor' in overlay) return <TemplatePicker into={overlay.templateFor} onClose={close} />
    if ('move' in overlay) return <MoveDialog from={overlay.move} to={overlay.to} onClose={close} />
    if ('newFolderIn' in overlay) return <NewFolderDialog inFolder={overlay.newFolderIn} onClose={close} />
    if ('newNoteFrom' in overlay)
      return <NewNoteDialog suggestion={inFolder(newNoteIn)} template={overlay.newNoteFrom} onClose={close} />
    return <NewNoteDialog suggestion={inFolder(overlay.newNoteIn)} onClose={close} />
  }
  switch (overlay) {
    case 'switcher':
      return (
        <QuickSwitcher
          recents={recents}
          onCreate={(name) => {
            setTypedName(name)
            show('new-note')
          }}
          onClose={close}
        />
      )
    case 'palette':
      return (
        <CommandPalette
          commands={commands({ hands, vault, client, deleteFile, upload, ...forCommands })}
          onClose={close}
        />
      )
    case 'cheat-sheet':
      return <CheatSheet onClose={close} />
    case 'templates':
      return <TemplatePicker onClose={close} />
    case 'new-note':
      return <NewNoteDialog suggestion={typedName ?? inFolder(newNoteIn)} onClose={close} />
    case 'new-vault':
      return (
        <NewVaultDialog
          onClose={close}
          onCreated={(vaultId) => {
            close()
            onVaultsChanged()
            navigation.open({ vaultId })
          }}
        />
      )
    case undefined:
      return null
  }
}

const inFolder = (folder: string) => (folder === '' ? '' : `${folder}/`)

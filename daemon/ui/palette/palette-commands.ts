import type { DaemonClient } from '../api/daemon-client.ts'
import { copyText } from '../app/copy-text.ts'
import { shortcutActions, type Hands } from '../app/shortcut-actions.ts'
import { shortcuts, type ShortcutName } from '../app/shortcuts.ts'
import { folderOf } from '../links/resolve-link.ts'
import { sendAcross } from '../tabs/tab-changes.ts'
import { chooseFiles } from '../tree/choose-files.ts'
import type { useDeleteFile } from '../tree/use-delete-file.ts'
import type { useUpload } from '../tree/use-upload.ts'
import type { OpenVault } from '../vaults/vault-context.ts'

/** A command of the palette and the shortcuts. */
export type Command = { id: string; title: string; keys?: string; run: () => void }

/** What the commands without keys need to act. */
export type CommandHands = {
  /** Path of the open note, if one is open. */
  note: string | undefined
  togglePanel: () => void
  collapseAll: () => void
}

type Deps = CommandHands & {
  hands: Hands
  vault: OpenVault
  client: DaemonClient
  deleteFile: ReturnType<typeof useDeleteFile>
  upload: ReturnType<typeof useUpload>
}

/** All commands that make sense now: those with keys first, then the rest. */
export function commands(deps: Deps): Command[] {
  const { hands, note, vault, client, deleteFile, upload, togglePanel, collapseAll } = deps
  const copy = (text: string) => void copyText(text, vault.announce)
  const openDaily = () =>
    void import('../templates/open-daily-note.ts').then(({ openDailyNote }) => openDailyNote({ client, ...vault }))
  const actions = shortcutActions(hands)
  const needNote: ShortcutName[] = ['mode', 'look', 'save', 'closeTab', 'tabRight', 'tabLeft']
  const withKeys = (Object.keys(shortcuts) as ShortcutName[])
    .filter((name) => name !== 'palette' && (note !== undefined || !needNote.includes(name)))
    .map((name) => ({ id: name, title: shortcuts[name].does, keys: shortcuts[name].keys, run: actions[name] }))
  return [
    ...withKeys,
    { id: 'daily', title: 'Open the note of today', run: openDaily },
    { id: 'template', title: 'New note from a template', run: () => vault.show('templates') },
    ...(note === undefined
      ? []
      : [
          ...(vault.mode === 'source'
            ? [{ id: 'insert-template', title: 'Insert a template', run: () => vault.show({ templateFor: note }) }]
            : []),
          { id: 'history', title: 'History of this note', run: () => vault.open(note, { view: 'history' }) },
          { id: 'note-graph', title: 'Links around this note', run: () => vault.open(note, { view: 'graph' }) },
          { id: 'move', title: 'Rename or move this note', run: () => vault.show({ move: note }) },
          { id: 'across', title: 'Move this tab to the other pane', run: () => vault.tabs.change(sendAcross) },
          { id: 'delete', title: 'Delete this note', run: () => void deleteFile({ kind: 'note', path: note }) },
          { id: 'copy-path', title: 'Copy the path of this note', run: () => copy(note) },
          { id: 'copy-link', title: 'Copy a link to this note', run: () => copy(window.location.href) },
        ]),
    { id: 'panel', title: 'Show or hide outline and properties', run: togglePanel },
    {
      id: 'upload',
      title: note === undefined ? 'Upload files' : 'Upload files next to this note',
      run: () => chooseFiles((files) => void upload(folderOf(note ?? ''), files)),
    },
    { id: 'new-folder', title: 'New folder', run: () => vault.show({ newFolderIn: '' }) },
    { id: 'deleted', title: 'Deleted notes', run: () => vault.open(undefined, { view: 'deleted' }) },
    { id: 'graph', title: 'Links of the whole vault', run: () => vault.open(undefined, { view: 'graph' }) },
    { id: 'tags', title: 'Tags', run: () => vault.open(undefined, { view: 'tags' }) },
    { id: 'agents', title: 'What agents changed', run: () => vault.open(undefined, { view: 'agents' }) },
    { id: 'collapse', title: 'Collapse all folders', run: collapseAll },
    { id: 'refresh', title: 'Read the tree again', run: vault.refreshTree },
    ...(vault.can('create_vault') ? [{ id: 'new-vault', title: 'New vault', run: () => vault.show('new-vault') }] : []),
  ]
}

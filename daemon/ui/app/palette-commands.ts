import { sendAcross } from '../tabs/tab-changes.ts'
import { shortcutActions, type Hands } from './shortcut-actions.ts'
import { shortcuts, type ShortcutName } from './shortcuts.ts'

/** A command of the palette and the shortcuts. */
export type Command = { id: string; title: string; keys?: string; run: () => void }

/** All commands that make sense now: those with keys first, then the rest. */
export function commands(hands: Hands): Command[] {
  const { vault, note } = hands
  const actions = shortcutActions(hands)
  const needNote: ShortcutName[] = ['mode', 'look', 'save', 'closeTab', 'tabRight', 'tabLeft']
  const withKeys = (Object.keys(shortcuts) as ShortcutName[])
    .filter((name) => name !== 'palette' && (note !== undefined || !needNote.includes(name)))
    .map((name) => ({ id: name, title: shortcuts[name].does, keys: shortcuts[name].keys, run: actions[name] }))
  return [
    ...withKeys,
    { id: 'daily', title: 'Open the note of today', run: hands.openDaily },
    { id: 'template', title: 'New note from a template', run: () => vault.show('templates') },
    ...(note === undefined
      ? []
      : [
          ...(vault.mode === 'source'
            ? [{ id: 'insert-template', title: 'Insert a template', run: () => vault.show({ templateFor: note }) }]
            : []),
          { id: 'history', title: 'History of this note', run: () => hands.showHistory(note) },
          { id: 'note-graph', title: 'Links around this note', run: () => hands.showGraph(note) },
          { id: 'move', title: 'Rename or move this note', run: () => vault.show({ move: note }) },
          { id: 'across', title: 'Move this tab to the other pane', run: () => hands.tabs.change(sendAcross) },
          { id: 'delete', title: 'Delete this note', run: () => hands.deleteNote(note) },
          { id: 'copy-path', title: 'Copy the path of this note', run: () => hands.copyText(note) },
          { id: 'copy-link', title: 'Copy a link to this note', run: () => hands.copyText(window.location.href) },
        ]),
    { id: 'panel', title: 'Show or hide outline and properties', run: hands.togglePanel },
    { id: 'new-folder', title: 'New folder', run: () => vault.show({ newFolderIn: '' }) },
    { id: 'deleted', title: 'Deleted notes', run: hands.showDeleted },
    { id: 'graph', title: 'Links of the whole vault', run: () => hands.showGraph() },
    { id: 'tags', title: 'Tags', run: hands.showTags },
    { id: 'agents', title: 'What agents changed', run: hands.showAgents },
    { id: 'collapse', title: 'Collapse all folders', run: hands.collapseAll },
    { id: 'refresh', title: 'Read the tree again', run: vault.refreshTree },
    ...(vault.can('create_vault') ? [{ id: 'new-vault', title: 'New vault', run: () => vault.show('new-vault') }] : []),
  ]
}

import '../styles/cheat-sheet.css'
import { Keys } from './keys.tsx'
import { Modal } from './modal.tsx'
import { shortcuts } from './shortcuts.ts'

const tree = [
  ['↑ ↓', 'Move'],
  ['→ ←', 'Open or close a folder, go in or out'],
  ['Home End', 'First or last line'],
  ['Enter', 'Open'],
  ['Mod-Enter', 'Open in a new tab, also among names of notes'],
  ['F2', 'Rename or move'],
  ['Delete', 'To the deleted notes'],
  ['Shift-F10', 'Menu of the line'],
  ['a letter', 'Next name that begins with it'],
]
const editor = [
  ['[[', 'Link to a note; # and #^ behind its name lead to a heading and a block'],
  ['#', 'Tag'],
  ['Mod-F', 'Find and replace in this note'],
  ['Mod-Z', 'Undo'],
  ['Mod-B', 'Bold'],
  ['Mod-I', 'Italic'],
  ['paste, drop', 'Stores a picture or file in the vault and shows it here'],
  ['Tab', 'Indent; press Esc first and Tab leaves the editor'],
  ['Enter', 'Goes on with a list'],
]
const search = [
  ['"two words"', 'Exactly these words'],
  ['-word', 'Without this word'],
  ['tag: path: title:', 'Only there'],
  ['prop:key=value', 'By property'],
]

/** All keys on one page. */
export default function CheatSheet({ onClose }: { onClose: () => void }) {
  return (
    <Modal label="Keys" className="cheat-sheet" onClose={onClose}>
      <h2>Keys</h2>
      <div className="cheat-columns">
        <section>
          <h3>Everywhere</h3>
          <dl>
            {Object.values(shortcuts).map(({ keys, does }) => (
              <Line key={keys} keys={keys} does={does} />
            ))}
            <Line keys="Alt-←" does="Back to the note before" />
            <Line keys="Esc" does="Close what lies over the page" />
          </dl>
        </section>
        <section>
          <h3>Tree</h3>
          <dl>
            {tree.map(([keys, does]) => (
              <Line key={keys} keys={keys!} does={does!} />
            ))}
          </dl>
        </section>
        <section>
          <h3>Editor</h3>
          <dl>
            {editor.map(([keys, does]) => (
              <Line key={keys} keys={keys!} does={does!} />
            ))}
          </dl>
          <h3>Search</h3>
          <dl className="wide-keys">
            {search.map(([keys, does]) => (
              <div key={keys}>
                <dt>
                  <code>{keys}</code>
                </dt>
                <dd>{does}</dd>
              </div>
            ))}
          </dl>
        </section>
      </div>
      <div className="modal-actions">
        <button type="button" className="button primary" onClick={onClose}>
          Close
        </button>
      </div>
    </Modal>
  )
}

function Line({ keys, does }: { keys: string; does: string }) {
  return (
    <div>
      <dt>
        <Keys keys={keys} />
      </dt>
      <dd>{does}</dd>
    </div>
  )
}

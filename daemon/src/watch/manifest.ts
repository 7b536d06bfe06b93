import { otherStamp, sameStamp, type FileStamp } from '../files/file-stamp.ts'
import { isMarkdownName } from '../files/vault-path.ts'
import { addName, dropName, FolderNames, join, namesByFolder } from './folder-names.ts'
import { knownNotes, type KnownNotes } from './known-notes.ts'
import { allOf, filesIn, isNone, namesIn } from './names-in.ts'
import { prepareSwitch, type PreparedSwitch } from './prepared-switch.ts'
import { rebase } from './rebase.ts'
import { slices, type Pause } from './slices.ts'
import { byCode, sortInSlices } from './sort-in-slices.ts'
import { fileOf, filesOf, missingIn, notesOf, nothingRemembered, numbersInOrder, sizesOf } from './remembered.ts'
import type { Known, KnownFile, RememberedFiles } from './remembered.ts'

/**
 * What the daemon knows of the files of a vault. Paths are as on disk; hidden files are never included. A file that is
 * unchanged since it was remembered costs one byte in addition to the memory of the search index; only other files are
 * objects.
 */
export class Manifest {
  #remembered = nothingRemembered
  #numberOf = numbersInOrder(nothingRemembered)
  /** By number of the remembered file: 1 when the file is on disk as it is remembered. */
  #isThere: Uint8Array = new Uint8Array(0)
  #apart = new Map<string, KnownFile>()
  readonly #folders = new FolderNames()
  // Only for names that are not in normal form C: requests use that form.
  readonly #byNormalForm = new Map<string, string>()
  #count = 0
  /** Notified of every change while another memory is compared. */
  #switching: { changed(path: string): void } | undefined

  file(path: string): KnownFile | undefined {
    const apart = this.#apart.get(path)
    if (apart) return apart
    const number = this.#remembered.numberOf(path)
    return this.#isThere[number] === 1 ? fileOf(this.#remembered, number) : undefined
  }

  hasFile(path: string): boolean {
    return this.#apart.has(path) || this.#isThere[this.#remembered.numberOf(path)] === 1
  }

  hasFolder(path: string): boolean {
    return this.#folders.has(path)
  }

  /** All files as of the first step; later changes are not included. */
  *files(): Generator<KnownFile> {
    yield* filesOf(this.asOfNow())
  }

  /** The sizes of all files as of the first step. */
  *sizes(): Generator<{ size: number; isAttachment: boolean }> {
    yield* sizesOf(this.asOfNow())
  }

  /** The notes as of now, for a comparison with others. */
  notes(): Promise<KnownNotes> {
    return knownNotes(this.asOfNow(), slices())
  }

  /** The paths of files whose content has not been read. */
  unread(): string[] {
    return Array.from(this.#apart.values()).flatMap(({ path, facts }) => (facts === undefined ? [path] : []))
  }

  /** The paths of files that are remembered, but no longer there. */
  *forgotten(): Generator<string> {
    for (const path of missingIn(this.#remembered, this.#isThere)) if (!this.#apart.has(path)) yield path
  }

  count(): number {
    return this.#count
  }

  /**
   * The names in a folder as of the call, however slowly the caller reads them; `hasFolder` tells which of them are
   * folders.
   */
  children(folder: string): Iterable<string> {
    return allOf(this.#folders.foldersIn(folder), this.#namesIn(folder))
  }

  isEmpty(folder: string): boolean {
    return this.#folders.foldersIn(folder).length === 0 && isNone(this.#namesIn(folder))
  }

  /** The path on disk for a requested path, which may be in another normal form. */
  onDisk(path: string): string {
    const normal = path.normalize('NFC')
    return this.hasFile(path) ? path : (this.#byNormalForm.get(normal) ?? (this.hasFile(normal) ? normal : path))
  }

  /** Sets the files of a folder as listed. Keeps what is remembered of files that have not changed. */
  async listed(folder: string, files: ReadonlyMap<string, FileStamp>, pause: Pause): Promise<void> {
    this.putFolder(folder)
    for (const name of await sortInSlices([...files.keys()], byCode, pause)) {
      const path = join(folder, name)
      const stamp = files.get(name)!
      if (this.#apart.has(path)) continue
      const number = this.#numberOf(path)
      if (this.#isThere[number] === 1) continue
      if (number !== -1 && this.#remembered.hasStamp(number, stamp)) this.#setThere(path, number)
      else this.putFile({ path, stamp, facts: isMarkdownName(name) ? undefined : { kind: 'attachment' } })
      await pause()
    }
  }

  /** The files that are remembered now. */
  remembered = (): RememberedFiles => this.#remembered

  /**
   * Sets which of these remembered files are there, except for files that are known already. Returns false when other
   * files are remembered now.
   */
  takeThere(files: RememberedFiles, isThere: Uint8Array): boolean {
    if (this.#remembered !== files || this.#switching || isThere.length !== files.count) return false
    for (const path of this.#apart.keys()) {
      const number = files.numberOf(path)
      if (number !== -1) isThere[number] = 0
    }
    this.#isThere = isThere
    this.#count = isThere.reduce((sum, there) => sum + there, this.#apart.size)
    return true
  }

  /** The names in a folder that contain something remembered, whether they are there or not. */
  rememberedIn = (folder: string): Iterable<string> => namesIn(this.#remembered, folder)

  /** Keeps everything remembered below a folder that cannot be read now. */
  async keep(folder: string, pause: Pause): Promise<void> {
    this.putFolder(folder)
    const [files, prefix] = [this.#remembered, `${folder}/`]
    for (let number = files.firstAtOrAfter(prefix); number < files.count; number++) {
      const path = files.path(number)
      if (!path.startsWith(prefix)) return
      this.putFolder(path.slice(0, path.lastIndexOf('/')))
      if (!this.hasFile(path)) this.#setThere(path, number)
      await pause()
    }
  }

  /** Keeps what is remembered of a file that cannot be read now. Returns false when nothing is remembered of it. */
  keepFile(path: string): boolean {
    const number = this.#remembered.numberOf(path)
    if (number === -1) return false
    this.#take(path)
    this.#setThere(path, number)
    return true
  }

  /** Makes the next sweep read a file again, even if its stamp is unchanged. */
  doubt(path: string): void {
    const known = this.file(path)
    if (known) this.putFile({ ...known, stamp: otherStamp(known.stamp) })
  }

  /** True when a file is known and has the same stamp. */
  isAsKnown(path: string, stamp: FileStamp): boolean {
    const apart = this.#apart.get(path)
    if (apart) return sameStamp(apart.stamp, stamp)
    const number = this.#numberOf(path)
    return this.#isThere[number] === 1 && this.#remembered.hasStamp(number, stamp)
  }

  putFile(file: KnownFile): void {
    this.#take(file.path)
    this.#apart.set(file.path, file)
    this.#folders.addFile(file.path)
    this.#adopt(file.path)
  }

  putFolder(path: string): void {
    this.#folders.addFolder(path)
  }

  removeFile(path: string): void {
    if (!this.hasFile(path)) return
    this.#take(path)
    const normal = path.normalize('NFC')
    if (this.#byNormalForm.get(normal) === path) this.#byNormalForm.delete(normal)
  }

  removeFolder(path: string): void {
    this.#folders.removeFolder(path)
  }

  /** A folder and all folders below it, each before its own sub-folders. */
  foldersBelow(folder: string): string[] {
    return this.#folders.below(folder)
  }

  /** Compares with another memory, in slices. Files that differ from it keep their known state after the switch. */
  async compare(next: RememberedFiles): Promise<PreparedSwitch> {
    const switching = prepareSwitch({
      takeOver: (path) => {
        const known = this.file(path)
        const number = next.numberOf(path)
        if (number !== -1) isThere[number] = 0
        if (known) apart.set(path, known)
        else apart.delete(path)
        if (known) addName(names, path)
        else dropName(names, path)
      },
      switchOver: () => {
        this.#switching = undefined
        this.#remembered = next
        this.#numberOf = numbersInOrder(next)
        this.#isThere = isThere
        this.#apart = apart
        this.#folders.setFiles(names)
        return notesOf(apart)
      },
    })
    this.#switching = switching
    const { isThere, apart } = await rebase(this.asOfNow(), next)
    const names = await namesByFolder(apart.keys(), slices())
    return switching
  }

  /** What is known now; later changes are not included. */
  asOfNow(): Known {
    return { files: this.#remembered, isThere: this.#isThere.slice(), apart: Array.from(this.#apart.values()) }
  }

  #setThere(path: string, number: number): void {
    this.#switching?.changed(path)
    this.#isThere[number] = 1
    this.#adopt(path)
  }

  /** Removes a file wherever it is recorded. */
  #take(path: string): void {
    this.#switching?.changed(path)
    if (!this.hasFile(path)) return
    this.#count--
    if (this.#apart.delete(path)) this.#folders.removeFile(path)
    else this.#isThere[this.#remembered.numberOf(path)] = 0
  }

  #adopt(path: string): void {
    this.#count++
    const normal = path.normalize('NFC')
    if (normal !== path) this.#byNormalForm.set(normal, path)
  }

  /** The names of the files in a folder: first those recorded apart, then those that are as remembered. */
  #namesIn(folder: string): Iterable<string> {
    return allOf(this.#folders.filesIn(folder), filesIn(this.#remembered, folder, this.#isThere))
  }
}

/** Lets the person choose files of this device. Call it in the event of a click or a key; later, browsers refuse it. */
export function chooseFiles(onChosen: (files: readonly File[]) => void): void {
  const chooser = document.createElement('input')
  chooser.type = 'file'
  chooser.multiple = true
  chooser.hidden = true
  chooser.addEventListener('change', () => {
    onChosen([...(chooser.files ?? [])])
    chooser.remove()
  })
  chooser.addEventListener('cancel', () => chooser.remove())
  // Safari reports the choice only of a field that is in the page.
  document.body.append(chooser)
  chooser.click()
}

import { crashMatrix } from '../support/crash-matrix.ts'

crashMatrix({ stride: 1 })

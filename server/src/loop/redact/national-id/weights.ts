// What each digit of a national number is multiplied with before all are added up. Made once: as literals where they are
// used they would be made for every number that is looked at.

export const weights = {
  netherlands: [9, 8, 7, 6, 5, 4, 3, 2, -1],
  norwayFirst: [3, 7, 6, 1, 8, 9, 4, 5, 2, 1],
  norwaySecond: [5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1],
  denmark: [4, 3, 2, 7, 6, 5, 4, 3, 2, 1],
  poland: [1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1],
  portugal: [9, 8, 7, 6, 5, 4, 3, 2],
  brazilPersonFirst: [10, 9, 8, 7, 6, 5, 4, 3, 2],
  brazilPersonSecond: [11, 10, 9, 8, 7, 6, 5, 4, 3, 2],
  brazilCompanyFirst: [5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2],
  brazilCompanySecond: [6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2],
  southKorea: [2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5],
  turkeyOdd: [1, 0, 1, 0, 1, 0, 1, 0, 1],
  turkeyEven: [0, 1, 0, 1, 0, 1, 0, 1],
  australia: [1, 4, 3, 7, 5, 8, 6, 9, 10],
  switzerland: [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1],
  austria: [3, 7, 9, 0, 5, 8, 4, 2, 1, 6],
  romania: [2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9],
  bulgaria: [2, 4, 8, 5, 10, 9, 7, 3, 6],
  japan: [6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2],
  thailand: [13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2],
  argentina: [5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1],
  britain: [10, 9, 8, 7, 6, 5, 4, 3, 2, 1],
  singapore: [2, 7, 6, 5, 4, 3, 2],
  china: [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2],
}

// What each digit of a national number is multiplied with before all are added up. Made once: as literals where they are
// used they would be made for every number that is looked at.

export const weights = {
  netherlands: Int8Array.of(9, 8, 7, 6, 5, 4, 3, 2, -1),
  norwayFirst: Int8Array.of(3, 7, 6, 1, 8, 9, 4, 5, 2, 1),
  norwaySecond: Int8Array.of(5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1),
  denmark: Int8Array.of(4, 3, 2, 7, 6, 5, 4, 3, 2, 1),
  poland: Int8Array.of(1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1),
  portugal: Int8Array.of(9, 8, 7, 6, 5, 4, 3, 2),
  brazilPersonFirst: Int8Array.of(10, 9, 8, 7, 6, 5, 4, 3, 2),
  brazilPersonSecond: Int8Array.of(11, 10, 9, 8, 7, 6, 5, 4, 3, 2),
  brazilCompanyFirst: Int8Array.of(5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2),
  brazilCompanySecond: Int8Array.of(6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2),
  southKorea: Int8Array.of(2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5),
  turkeyOdd: Int8Array.of(1, 0, 1, 0, 1, 0, 1, 0, 1),
  turkeyEven: Int8Array.of(0, 1, 0, 1, 0, 1, 0, 1),
  australia: Int8Array.of(1, 4, 3, 7, 5, 8, 6, 9, 10),
  switzerland: Int8Array.of(1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1),
  austria: Int8Array.of(3, 7, 9, 0, 5, 8, 4, 2, 1, 6),
  romania: Int8Array.of(2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9),
  bulgaria: Int8Array.of(2, 4, 8, 5, 10, 9, 7, 3, 6),
  japan: Int8Array.of(6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2),
  thailand: Int8Array.of(13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2),
  argentina: Int8Array.of(5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1),
  britain: Int8Array.of(10, 9, 8, 7, 6, 5, 4, 3, 2, 1),
  singapore: Int8Array.of(2, 7, 6, 5, 4, 3, 2),
  china: Int8Array.of(7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2),
}

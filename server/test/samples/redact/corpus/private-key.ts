// Private keys in many writings, whole and cut off, and public keys and talk about keys. All are random.
import type { Corpus } from './corpus.ts'

export const corpus: Corpus = {
  kind: 'private_key',
  positives: [
    [
      '{}',
      '---' +
        '--BEGIN PRIVATE KEY-----\nUl3nF3ZkYNRCQvjoySSsEnsGzwtjw/75POt4i84MJhTjN75ehVKjlX7f5yP8th5n\nRkwfF44uUVKX0RgQiQmXKGtQksSNYqkNWQql2UcUNxBR+yCrtjLmeRqWtuxv4f0U\nE4K5DEN8yV47KW1uzrGg9VnpKkuI5s3lC5Sd1gYVEXkVCdOmQsreK8r85akcGBt2\noKEMpgE16io/cEsL2aTE1xkUicX8fXVGcTiSEnQrfTRw79xri6eLzfzfONY8GeyK\nTgQIpV3Z4XRx//VIk2k3xLPnkPLN52v4S5fT3JhjZUuds4eqiEUUXet5VV4jrUYO\nJFodx/XpHH5BK+zprj5w4lOSiLMuwUCpzrE/dUV7qliNY900jqOj57Sqxq3hptMv\nku7Tow88H5s2fqmO9JriOtNIfGPkL8==\n-----END PRIVATE KEY-----',
    ],
    [
      '{}',
      '---' +
        '--BEGIN RSA PRIVATE KEY-----\ntvRfdkfHA1d/LM9FZM6jhu4197ARsOOSZqVnOE7pI5FsmgLX1FuPOyu/7/N/clY6\nEBTggK/8Kbn3rHUZUfZgyUKjX5JpqmYVRUszZfferQ86trPOuYMR+M8cVQo1Nd8H\nDg9vWsFeoyc4O1t0A08hrAP9WOw6RTH9yFJMCMKA+O9SJKpWYSsLfKkS4G9BzIIr\nnEFgCDgm0Q8mrau089zKPKhlDew1weY/xLebMnQK6/r7IyoQu6GxbRLywZ2PlZmx\nr9PFaHXE5IQMbHUEhp7NuZNpLVCCr9t6V18BFk5UjohztvP4oA+l5h6q16h7NcYG\naBjf2Sihi8eK0xr1VW5WWkrSpwYqCacM72WDF6StJyoe1cEAime5gFfZ4DBhrLDO\nKMXR0upt4jQHoAtrdJ8L4V6lORBJFd==\n-----END RSA PRIVATE KEY-----',
    ],
    [
      '{}',
      '---' +
        '--BEGIN EC PRIVATE KEY-----\nSWO10tMWx8ECMs7h01rXFGAQk5VlygIWfjyB9AQMbByp9FAYEPKW7TNHU/7m8OAV\nO0fCscH1LtzQDWF/RG++6vTvr+xhejga0rDitbB6Vh9+ca0bcJKc3wnmtEyGTIYk\nVZ6FCMkelZWW8hbvk/3QmfDB8IfjJewOcAsYjMuEXQXrkSgm3DjRYPdI5+DTW3xW\nkLFjkItWtXOUnlaN4UInqlx350ndlTlPXbL0XkFvWvrIMI/siv3J1M9jUGF/z6nr\nMaYQWQ4Q3rMPz9OwYOL+FPWJYUozxd7A4Li0/rMEGt2Wj59Z1eUknFTvfZQ3nbmH\nCC5VY7tSd9nL1kosSNR6A9S8m45OiMfocRnvFwuQ27DZxx3Ydz52XaBAJinxUPz6\nhqQ3FH9OuMyNzLhww2DNl0RTZt6NLf==\n-----END EC PRIVATE KEY-----',
    ],
    [
      '{}',
      '---' +
        '--BEGIN DSA PRIVATE KEY-----\nrOpENoxVsX1rX2x+wv+KrxO5gTb+ryX/0+14+vkdCLeJCKv6/ooIUf4B2nFMe5HS\nl4pEAS2vrAAhSJvPLLImr0hJqqFsPFY+sI1W5jlZJV6+Pal6TiYB2B/IPKRq+Rgf\nm6cpu46a2zqMuJlUGkVvgYND2lmaB9jqC4bbRp2q9jDXlnnOVMrWrsibv4SBt04B\nlmrpXS2OrFJkFKdMAyYLgE/XoE/jbUOqX1Uw8jcibHBfhYK12ZktJkNkAtPYiN3E\nhFl3o6hNwpbrbu/SHvVqIpdQ2IiHj/6Uh/vVuGnoDafbFf8UXtwe1CPF1OIjVpgw\nCfZi7KNPl6bVzLMF7V/zFta0dDSbQaWNnAE1+hsJlfD0V6kmrYjh3qELHOYPO5ID\ne8miXXLgjgkCDuAhIw9XnCtDq2hfkZ==\n-----END DSA PRIVATE KEY-----',
    ],
    [
      '{}',
      '---' +
        '--BEGIN OPENSSH PRIVATE KEY-----\nMfBPslFTYgMHwdZ5Fm7nrpbhCqzZVkHjciz4qlQpf7gv3Y/dW2wTBxJJ5teFL/09\nhlJXr1zFcWT9+SPXIxdOCdJh8TDumFEIhCXTwwEOTdTsy/Nw+elhDCc9aQzqRwPh\ncssoUjVYmRMPru3+OwTCwWNLqwaYexOCn/sQjESOvlQ5bHAFiSGnagX41v0/WSWm\n9Cu5jeLcOHnjRvWujlR9d3v3ugmQAy0HKMEmgY+tgUa2lL9zmdAvLk8oNY8+HlXx\nVWVx5fH47HCIhtmkS0DhX18E8MkYesp5wvByqf2k3zsHOilXYPJ6b1o1tsmnmKS0\nHX+8ewJZsZeYQEg8IVcRMNJ+mDrM4PI1ly4B0+VhuiNZrdwyzhFe6gUzJV7YpdEV\nFMCl93ELJwwk15qV1Sfsbydk2KX9n2==\n-----END OPENSSH PRIVATE KEY-----',
    ],
    [
      '{}',
      '---' +
        '--BEGIN ENCRYPTED PRIVATE KEY-----\nCCAI0cb8qwbCGNJ2WS6GB7MYnaVKMn9iRJPJHMytEhZOrd/LH1ZXeyRC8TMvxLm8\nqHxQlCTCN1QVHL7p8gj8ypWM0gtrzR06sOxk+QwOha5JAvu+lq32Z29XaezVbPyc\naFCSNqnXNvifML6R3rR+TyvZcDCqBcvpUeWGggncgo14WpG8tAbM1mIr1npKon/z\nzHzT0Luf/A9QEablo/tljmGD6LH7gmwfLUO2omfbrvQT4IlVRxoZZ6IX91voqhun\n194xWTdq9+o04fiHObCRm3F9SXtgbu8/vj+PEQJgCWZEk645l/5Op/cnZ0ealMA6\nRUgC6Q8U5omCaRTLVnfv/r0nGzypYB6yRn1fp56r/ag39wwqnXPX1FJYRL5rr0MO\nTV7JOnmnNTsRw6RiTP9lGISOuThWwJ==\n-----END ENCRYPTED PRIVATE KEY-----',
    ],
    [
      '{}',
      '---' +
        '--BEGIN ANY PRIVATE KEY-----\n91K2bndWsghzIuKGshLAeT5nCXEKgWX1OgbGz4CVzyL5wjxwpWf2JHquGaQ7tftP\ngM+TjOCxiu1ZlSCBQQULB8boS5EFfPWoXGKdV5+fLyPkmvaiAB2nA3jtd6Qeljgw\nGjDH0X5Z3OcXpaifjTnLMlK4WYd8uCrYLsMVbspfaYkNASB0suxCGyoxg7jLiGmz\n+QTqEmKiyO+5QNtUO2vaOFC3JUrQ975TN+nwkJrzHjjcdZBeH8tUYCLr7lYUbEvr\n5uws9TfC+DiHVDfAUX86ffPnJHwWWUjGWCZTS+9ar4vDjJBtxuUpD1Qo999Au0cF\nfqurfshvHxZcKkB589vC0sxHvR6iDWXqncz1tmw8epl9qa31Vf2D9WSm2rG9DkK0\nqmaTVYaKHhHayPnSZuAxgjBPLqq2IB==\n-----END ANY PRIVATE KEY-----',
    ],
    [
      '{}',
      '---' +
        '--BEGIN PGP PRIVATE KEY BLOCK-----\nUJYA09wV9GNSYrpD5umBZRguXals83liHCVkeXZKhw/4bzKyeDveUEaulJZTYZzb\nilKSSJCy6ZaHw0njLRoGG4W9FR66d9oHiWCDO0TbHFKlZRjw8OTBIxy/zEEHADzF\nTtnpk/af9VO/J+xJYCqg29eSYw6p6ObbAWmPUHxHEI8RUx/2A1VUZJ5xqDmIE3Wz\nst8bw1/rO+MGgYmuhBG8m5QHUUGSc0pSzwKTP+5kWK7svR1ZjkuRDOOLIYI4U50v\nxcqEGkAvYnmi8gdYknHtkXNDFK4qqvdeTP87I4rw63NS9Dl4NU0HtMbarSK8b+9M\nb3LDaVy03YFuXWCHk2EIKI0yixrLo65I+yPctgcxnKIq4bDltb/BR1N/V7eQkshI\nXzeIElm51q0y1ahXTpyXCpVcmDVXgH==\n-----END PGP PRIVATE KEY BLOCK-----',
    ],
    [
      'key:\n{}\nthanks',
      '---' +
        '--BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0123456789ABCDEF\n\nA8XNPufpG9MzUgBoE3PbvJpYFbf8tVlFu/lRhhTtnq+DOS4ycWTrGf+4L+yxSP7J\nuit5LHU6aWxcUEPiXy/tKP0Pomifqwezn+ymeX+GgUCjbA+k7hU1VhIfjMjBmmDX\nyyFw1nT62nvxZRu4TOPV03PEBWGU55YaeKcrMaMCBOcJtme6TtrHUFDGMlZBjP9w\nF05SSK06gMPtcUZKyfXd6Xvw40BA73==\n-----END RSA PRIVATE KEY-----',
    ],
    [
      '{}',
      '---' +
        '--BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: GnuPG v2\nComment: mine\n\npDbWgNfOtPCtgY5lC3LYsqRk8gZHkZ3qr9z+YzFFjI3Plo02USyPSdNvS4s4fDzV\ntkogFsKbRoN58cQABAH9scWfGvhKzIg7biXIUncLXDWmO+lxz6cfFNQ+YucSTTME\nJhGXdJCtRYrlWD1Et2NQ5qArzrNr3suOipxOsdO00M4JtynqxdIDDDdTk9r8VxX+\nEikmocAWa7r8AoVQmWnel79C3NFSu3==\n-----END PGP PRIVATE KEY BLOCK-----',
    ],
    [
      '{}',
      '---' +
        '--BEGIN PRIVATE KEY-----\\n6F2ZfWOYen56fFYfXgyL4YMK7v2Lgs75loxrY0P5dw6z6lGPuplo5UkXuWWfvQtu\\nswg1NN5KxpqzaGb6//a/EB8604kaFJAgxshSeseMQlgn1wuKw6UelMPVWi2iL8rp\\nJQ0AAhnl9K2OHTq///xDLyapd7pA10fQSBbzKGiNMPaoQRYdwyQR98er9t6Q70hM\\nOcAQTitJdRWvXxoNOeI0l/EV5MBMwoVezl4d9tyR9NPsmqAe6XoaNflQ7fnNcNAP\\nzyKJO4pItuJobnASOIsKFvjNR4gqd8gnXgl2Yw5TNQzk7ql7m6N78DCsHUYxQP6+\\ndi8oS97vKSqnZnPjM7Z0EFu9XiRA33REwj+o7Pm4wNZinWP/hlBrast5LX5zAOMM\\n687BT6wfLaNGz2i2sdx5J9daTJ0wh3==\\n-----END PRIVATE KEY-----',
    ],
    [
      '"private_key": "{}"',
      '---' +
        '--BEGIN PRIVATE KEY-----\\nKdE3YOWZW3Bw8ryXU1tKqrbjcs+3rkr162x625XTCx2a/EI0Uee9Vo9ksJ7klF8j\\nNgRb868Q1TLLveMHh8vgLdK+kqjJGqJJGbowt5VwHE+xeRkst/0XE4vASgHogv7Z\\nEtEV8W7IoyRTyEqjH3Bas7ZCyRu9HR==\\n-----END PRIVATE KEY-----',
    ],
    [
      '{}',
      '---' +
        '--BEGIN PRIVATE KEY----- fmT3IQIImGY7EyRxObbib0mn5SCKGyedlhBpplqWxoxGL7j6J2PGujJhWXQhHHw4 i+zYw+ns3Bn4HnejjG5c/taeXItQYa+93ZiCaX9pTQMZhlURk6LzwfXyMXnT+k4y icmbULpFyeYIPtFI91ZC9bcvdvYUcz== -----END PRIVATE KEY-----',
    ],
    [
      '{}',
      '---' +
        '--BEGIN PRIVATE KEY-----\npB6tDjes+c8fFqbwgNm6vino/Ciz2RZPprPBfwQipJs1vVv4FfrmWuc+kaawlK18\nqAsI50Ewex/lMS1aEypmUC7AJgyot8/wufgUKA3GQ6fngwud+ojE4P1zPDoPDmE0\n3my5oeELFd4Bjn7NDlyxiDUmOwrmvi==\n-----END PRIVATE KEY-----',
    ],
    [
      '{}',
      '---' +
        '--BEGIN RSA PRIVATE KEY-----\nehJro761vRCLuvDl0+B87Jb2FFP3Cta1ff8e2Y9m5/Ekb0BqTLElc9Nu6d67rZxV\n7ajXQeL2IAkQhUgoXU7fUUwiArQEo9ACPTI2JgiVS5+p8L5Viy6lkYwKjnvJos/t\n3nH8ObsARI7iEwACVPbsmeb3Zo18HP==\n-----END RSA PRIVATE KEY-----',
    ],
    [
      '{}',
      '---' +
        '- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nQ0RP+46MqNvHD9VKgsTK6vuKxwtuEofOq4HVxAeOSsV5uMpdZ/s6OtaQL8Ls4Ro9\nfroNdZC5TlPhyCJzck5lYy+OhUYs2VXVbKSSN5lB414Ku21rlsAM8QiWla0I1w7r\nzxWL+fMM/7CdatHM8pK1w+FdpJ/iU93H8pVcHuhsO7rTugIU1TgLLjyxmvPOMIUm\nILw0jaiHsxXFAv66kgnjGo1mY5JNS1==\n---- END SSH2 ENCRYPTED PRIVATE KEY ----',
    ],
    [
      '{}',
      '---' +
        '--BEGIN RSA PRIVATE KEY-----\no16joqc9SNUr4RwMdpCqsDNqAqk2ojc93fzneh8pGfiMbmpAzxSdlsJSTuEimbBy\nKvamB8Ux4nxTW2BD0oOp7or/UKfkP/oXK6N4C0L2yi8Vwb+nY4kpsYZnviUzRzZp\nD2/JIZT8Z+Js6npG+/Drdmgi/dwWPtMmj/7zL/+HRce3pX5OW46eewMv+3rNX+o+\n88uhYH/WTKPhdfqUSdRWm2ST0ShFFENkiNoRvcPe621Ic8cOWXPm+mAR/RvMU3z/\nO2Ye12InsqdtKzZoNV9fT2LgLvreKZ==',
    ],
    [
      '{}\nand then text',
      '---' +
        '--BEGIN RSA PRIVATE KEY-----\no16joqc9SNUr4RwMdpCqsDNqAqk2ojc93fzneh8pGfiMbmpAzxSdlsJSTuEimbBy\nKvamB8Ux4nxTW2BD0oOp7or/UKfkP/oXK6N4C0L2yi8Vwb+nY4kpsYZnviUzRzZp\nD2/JIZT8Z+Js6npG+/Drdmgi/dwWPtMmj/7zL/+HRce3pX5OW46eewMv+3rNX+o+\n88uhYH/WTKPhdfqUSdRWm2ST0ShFFENkiNoRvcPe621Ic8cOWXPm+mAR/RvMU3z/\nO2Ye12InsqdtKzZoNV9fT2LgLvreKZ==',
    ],
    [
      '{}',
      '---' +
        '--BEGIN RSA PRIVATE KEY-----\no16joqc9SNUr4RwMdpCqsDNqAqk2ojc93fzneh8pGfiMbmpAzxSdlsJSTuEimbBy\nKvamB8Ux4nxTW2BD0oOp7or/UKfkP/oXK6N4C0L2yi8Vwb+nY4kpsYZnviUzRzZp',
    ],
    [
      '{}\nfoo',
      '---' +
        '--BEGIN RSA PRIVATE KEY-----\no16joqc9SNUr4RwMdpCqsDNqAqk2ojc93fzneh8pGfiMbmpAzxSdlsJSTuEimbBy\nKvamB8Ux4nxTW2BD0oOp7or/UKfkP/oXK6N4C0L2yi8Vwb+nY4kpsYZnviUzRzZp',
    ],
    [
      '{}',
      'o16' +
        'joqc9SNUr4RwMdpCqsDNqAqk2ojc93fzneh8pGfiMbmpAzxSdlsJSTuEimbBy\nKvamB8Ux4nxTW2BD0oOp7or/UKfkP/oXK6N4C0L2yi8Vwb+nY4kpsYZnviUzRzZp\nD2/JIZT8Z+Js6npG+/Drdmgi/dwWPtMmj/7zL/+HRce3pX5OW46eewMv+3rNX+o+\n88uhYH/WTKPhdfqUSdRWm2ST0ShFFENkiNoRvcPe621Ic8cOWXPm+mAR/RvMU3z/\nO2Ye12InsqdtKzZoNV9fT2LgLvreKZ==\n-----END RSA PRIVATE KEY-----',
    ],
    [
      'the rest:\n{}\nok',
      'o16' +
        'joqc9SNUr4RwMdpCqsDNqAqk2ojc93fzneh8pGfiMbmpAzxSdlsJSTuEimbBy\nKvamB8Ux4nxTW2BD0oOp7or/UKfkP/oXK6N4C0L2yi8Vwb+nY4kpsYZnviUzRzZp\nD2/JIZT8Z+Js6npG+/Drdmgi/dwWPtMmj/7zL/+HRce3pX5OW46eewMv+3rNX+o+\n88uhYH/WTKPhdfqUSdRWm2ST0ShFFENkiNoRvcPe621Ic8cOWXPm+mAR/RvMU3z/\nO2Ye12InsqdtKzZoNV9fT2LgLvreKZ==\n-----END RSA PRIVATE KEY-----',
    ],
    [
      '{}',
      '---' +
        '--BEGIN PRI\u200bVATE KEY-----\n82ASjMM3Oz1ZG6xcx/B7I3hzU7sEtM30OiA0IKuGEZEotydFN7+32ezuIrdHJwf+\nchkOMi0UlYrEopG/lEpOQXE2BsnwBJ40Gh+VoO28FJsU8VNcegEGXNUpE4XbYGMl\n70Wptn34k6COu4ZXPAYcr3f0X8FEVA==\n-----END PRI\u200bVATE KEY-----',
    ],
    [
      '{}',
      '---' +
        '--ＢＥＧＩＮ PRIVATE KEY-----\nQ2muHiT1P6dgx4raZzNOkouFq0O59rHwPKzk1VxYWCccDl7zHvgZ2HtlVvpb36/p\nCAyIK/Wq3ABKy1x0sdLHE5FV6kb8rPYBX2GjmhgQE8TfaGWMYVqfwHv/R7qlO3sH\nhuciF31rVx7Bs54qN1W7qHuB5kuVFW==\n-----END PRIVATE KEY-----',
    ],
    [
      'PuTTY-User-Key-File-2: ssh-rsa\n{}\nPrivate-MAC: 0011',
      'Pri' +
        'vate-Lines: 3\nt4gytgDxe8Hu73o/f4T+6/ospSlAKxvIBax1jF/mQdKpYVnPtdk696IaQf5PqBgK\nPhjWlZGwEZlcAuXZKtpM+3NqTmVz+5X8I2l2Vx32lfR7Ct/kL73k9MtqMF2Lgjfn\n20m7GTGkco7wxYfk1MO65HRxBxkHn3caYobv96Z+MUYMlqrbyocydA9sE3ylM7s8',
    ],
    [
      '<pre>{}</pre>',
      '---' +
        '--BEGIN EC PRIVATE KEY-----\n2covt4+8c5FzLYgQbn31/Le+Z++Dhc2OiI18o/S53cuKy8S4DCR7qLX1U8uAKl9q\nwzu+m1/MEAgcTHTuweiR3oDpC+HRTfItng46onnfnvpAUuL4/mtUQrpz41aF8RKv\nfrxTWAxOQpjWWHAYoiZBA6A5D82HYR==\n-----END EC PRIVATE KEY-----',
    ],
    [
      '{}',
      '---' +
        '--BEGIN PRIVATE KEY-----\nUd4sbikROZv3hYethL1ZMOSbJsZ5A4SZzMkeQXqKBlNRucdHEM2ohVHTpgp5Ma6R\nEDSMKrWFnPyU6ms20klh2q8B5jVZYH/24+1usq+6qpB68euVp0opVLftpVNVML+d\nss1gNKBx+apSif19N5RW8qr655tPl0XDYRf4JlvdNpkygy8cpxcJAF4kPZf+cR3x\n1dOWGlomvKsxGltN0vhPxdhMXmOs0PHWpgzEE/XoIhO70i9d0DcImFqM05kAsVvF\n25fa7Lvah9IGWSBKfuiMlYprJ3AORH5IFPRA6Qcra8abw0+Ykjd4pTWTXwbp7Vy4\nbCcJTylMCD/UeJ/AazYoJ/vywiqiqHDJycG6a2gP30Jp7/UfCgJ15OaYyQkdC2jF\nzvQNimd93dQGFn8ERgQEj4m5pkheWOiqh4hM3inhgLWZm0Db6X72mRd6Qynnbiyq\nGT194xFrfhqN3TNss8NRLVbshEg2SzzziRy87QQM1Qun6f/CaCD7BE9QWAZxaUbj\nTdosL4yUfdzzKwCHwRFwzcwHmcrWoRAN6EVVv3ipsqyyWVO2FfyLtPFgJq+Ak8iv\nXV/7wPV9/8IZeACz5EYBN2WuVGkrkL4TDf7R25730V/OIWdw4DHjTkLkJDmpjUez\nQzQGMJyrHbMKSZZb8tYDDA8D77RkOy21A45dVrqNb/TRC12ZMPcertQYWAYiXy8n\nQ5Mlvnwe+dxziXKADLi6hVbvP0Yuoq19iXAqAN38uNz6Jzas5iZFQ+67flK6SMYw\n1Fw36XxmYfEuJLiB/0pVjnP05vGAf7dj7WRZyYebGorP7+7ikF4r8JuvcmwLpYvj\nbIt4TwBeB4gnXN4gagWzFVEzlc1dbRyiCmvvf1nPPyAY2pDBnTPwbZObXB6CiJVf\niB0M/nvGmPXrQwO9iQc5WDbDcpNE2FkhrV/LztWAeE4QrJOf1KdDQRFAgFCWPx4a\ni+iygsAqlwAEk27NvzF2wFMK5zI9kUYWv8423t9cW2kMtwGW7N6KW9jQr8ztyabV\n+Z1YVX+Nj0epXuy3GS+VhX2FF9eUdsH6sGFubolXYky2v2GMWN0lnSsIAYNav+am\ni11K3vwVxrz+xo5BxzhxyH04nvkLkWpJiRdE9+mbhIafmBaWI+8R2RVROEUZWhTQ\nma6ZrdpJFV580yaPcUfP4D+ZkS28mXLyseq/lM7v5o9EFBvln3duPXJCG8pr+lQC\niRWW3DCHoLlolRyoVqOWaNhyX2OUqCnYb6OsLC/6sKseONpJ9B/LWhQtACgw+YMu\ncYR28SYYjKKyYmqPgM6ur49LsABzbUnsW2vhmT8wgpR3tZFepEY+MwWl7WJ4Vbpo\nkp+Cc9JmxX93MqmPixZcY+ipApxxa5OpfqAulGekpMUv2aFMfL4r+OTAmfEeysMB\nrBTJq2jGHWuZ6kG2sAjIyVu1tO3WdFjIpo0iQlUQIsCJbmWCWnpwN+mSKImgvOXx\nSZ9qHbtqsWIgVF16x4T7KJ2DNlN0OlkjElvhkK/b2r9/pZbya2SFf5vCwjUrTg2/\nWvVoRFpLM9LHBaYBNe7+hTa6QMTnaSxZTbm3+zkt0p+atGC8YVMU2xIn44urT3aT\nzoyKfrY1Qeuz9Ip1+/qPZXqoncqtSbEgR2b39LK+k2FtxFJoHF2z8nxytDpqZeJy\ns2czlgW0NDCR29h2gMoIUJS1FOgxfagPBK8Jm3xG+UQMombqQUUVEJAXlnqpfyy5\nmjRM8ztfqy1GSU5p3i91cvJqLfhyY/jv4XXZIAxauBb6HMCLIpvCfELfsJrIgFAo\naSVPkHr0LPhbTCJwGcnWGA4CPIAYt5D3Vs9l/x6xwy+xKcNuwYyisj2F6ZmrbmWX\ncobfqFkIsbbnRkzr94uNQ9tFhIpcfnLn1saCdD2XsTKCXo+voCnKTjQpUkftw2Qx\n2tMKSnI/VHjatsOsX59io2JslPqxXTO/290QrFX1//DXk1ClEUaAcU8rohSUrL6s\n1FAChrpsWd2Vgnj9udsUskFjb1tx8rM80R4bKothewubY26HND2uIlWqBZhCYxj7\n9OZWvgV2yInnjUQdEKuniBbNyzeEIkf9fgOlNbTKYyOYTqmQ0mtdW9eLut7klDBs\nuR5qRLU3fXEAjt/mbsNl/m6OvLuiJUTljw6H8G4rp+fUKZ0q4UOVk05HfhFbtnLW\nuZjCX7lS777nkxnY3zZQiOR+B8oJ6et8sBOeWhU38BgBc2IGwksiJZkM51BHxgl2\nRMvzS198u3TXbzjsPObt6s/Oo0Ha5q5meBy1vWBSAybVUcMNp/600TT2Qow62Vwu\n3WK3Kmlnlc0n/m4eL1BC6Woz8pS70YaVCKIHN1Ea1ebdtVOQv3EYyYg2qXwZOu3D\nmqpYHuPAlld3btdkWdq6TxECMyFWHgJkscno6pnsKHxlj/UAYm+c0j+jA1WO5uxM\nbwepRS9auGpydctBUoBdPrCkqIJ9zlSL7/3ZyGwzJYnNvA+352IOnX2zTVi5veG0\nLTYdoxP2xTFjBVVsOpbObQB7PDiXKBBnJj13OOzzg//fJ1pp5vPXEcKca7KqZefR\nPbeEg1ZAUtruWwzfJXuFNdztSDF2P9==\n-----END PRIVATE KEY-----',
    ],
    [
      '{}',
      '---' +
        '--BEGIN PRIVATE KEY-----" + "pVndCgbrnP3CvlyVagHfogMjHQWIvr6pqOs05pE9+JP9ClHLkTFAjj/hBbB7Xy+n" + "RAON6tnqCUX5zZyiJ2vNns7noEc6xId85THpkT3BtY3Qg4IVmgW2yLyZwJ/3ngFo" + "ohd5cKrpeIgro4NSTzzzgoU04SrFnk==" + "-----END PRIVATE KEY-----',
    ],
    ['private_key: {}', 'MII' + 'EvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7'],
    [
      '"privateKey": "{}"',
      '0x4' + 'c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318',
    ],
    ['PRIVATE_KEY={}', 'd2a' + 'f0ff6b7a1c83e5b4c9d6e7f8091a2b3c4d5e6f708192a3b4c5d6e7f809101'],
  ],
  negatives: [
    'private_key: ~/.ssh/id_ed25519',
    'private_key_path=/etc/letsencrypt/live/example.com/privkey1.pem',
    'privateKey: process.env.PRIVATE_KEY_OF_THE_SERVICE_1',
    'the private key is kept in the safe of the second floor',
    '---' +
      '--BEGIN CERTIFICATE-----\nASKKamx9NEvOivxQ6sb82QcwHjvbT8a+F8ofcLDvsmmMQ5+SG+GU6bTMQ9oIcs0C\nsT/dF3UAlyWnJ5wHSQY1JNyfRp36SKob/s7tLuM+KiLb6fBKpg+Na3TagGrSKtlI\njUmBL6fsocE7wpZROyBz95g5q6tMtl==\n-----END CERTIFICATE-----',
    '---' +
      '--BEGIN PUBLIC KEY-----\n3PrzGr1zMNkM7xW3mr4OT7T27107dd1lrMFVqLgYqZa76gkhInQmL9QhpgAs/rCt\nMNa+zoiatpmFAn8d4YhpMZ9xEH4p3scxsEvz89LLm/VJYXn712sdK6pXbMe4fTr7\n4UDrakwG23Gnw5THyGelPjwPUKvDT2==\n-----END PUBLIC KEY-----',
    '---' +
      '--BEGIN RSA PUBLIC KEY-----\nrJMYi9W8xHqPSZifduDmn/8PDEnwX1ihGoej4VdwPn5WrzzG+4KCzu3yldmAeraU\nXAKI3evlRU96UPHFm1nK0EGwwN5J2i==\n-----END RSA PUBLIC KEY-----',
    'It ' + 'starts with -----BEGIN PRIVATE KEY----- and ends with -----END PRIVATE KEY-----.',
    '---' +
      '--BEGIN PGP PUBLIC KEY BLOCK-----\n\ni42WjkqMmp/DgQcCLGXTiuKjENZho8HdeR1HzQhrAQhE/jeSj1k9qIfne/CS39MD\nb7dbXYZmIM3yRRVbJEdyXySiBSBJih==\n-----END PGP PUBLIC KEY BLOCK-----',
    '---' +
      '--BEGIN PGP MESSAGE-----\n\n4pVTyR3hEDlbD0fbFhjhq4xKfOSFLqY9pjjGA/TC4MULFIOngS0+JkArDNApVseE\nSCPWD8hbF1crrLyt09fdr2NyFb3yyC==\n-----END PGP MESSAGE-----',
    '---' + '--BEGIN PGP SIGNATURE-----',
    '-----',
    '----------',
    '---' + ' a/file\n+++ b/file',
    '---' + '--BEGIN PRIVATE KEY-----',
    '---' + '--END PRIVATE KEY-----',
    'BEG' + 'IN PRIVATE KEY',
    'private key',
    'you' + 'r private key is safe',
    '-----BEGIN',
    '# -' + '--------- section ----------',
    '| -' + '-- | --- |',
    '---' + '--BEGIN CERTIFICATE REQUEST-----',
    'ssh' + '-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQ bob',
    '---' +
      '--BEGIN DH PARAMETERS-----\nfCAWx3gNeSdRHBdR32hnXK72HuW7EqbJJkFLRYeJUIGbpNPHw47c4b7eT9B0hkJO\n9eClqXYrq3FioOlj3NPdohPclRG3CL==\n-----END DH PARAMETERS-----',
    'BEG' + 'IN; UPDATE t SET a = 1; END;',
    '---' + '\ntitle: private key rotation\n---',
    'Pri' + 'vate-Lines are the secret part',
  ],
}

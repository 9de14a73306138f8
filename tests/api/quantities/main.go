// Prints what Kubernetes makes of quantities: go run . > alone.tsv; go run . sums > sums.tsv
package main

import (
	"fmt"
	"os"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
)

var alone = strings.Fields(`
0 1 2 3 9 +1 -1 -0 7 10 99 100 0100 1000 1001 1024 1500 999999 1000000 1048576
1n 1u 1m 1k 1M 1G 1T 1P 1E 1000E 10E 9E 999n 1000n 1001n 500m 1000m 1500m -500m 0.5 .5 5. 1.5 -1.5 1.50 1.500 1.0005 0.1 0.0000000001 1.0000000001 0.1n 10n
1Ki 1Mi 1Gi 1Ti 1Pi 1Ei 7Ei 8Ei 9Ei -8Ei -9Ei 16Ei 1.5Ki 0.5Ki 0.5Gi 1.5Gi -1.5Gi 0.0001Ki 0.00000000001Gi 1024Ki 1000Ki 1025Ki 8Ki 3Ki 9Ki 16Mi +3Ki -3Ki 1.Ki 1024Mi 1536Mi
99Ti 100Ti 999Ti 1000Ti 9Pi 10Pi 100000Mi 1000000000Ki 10000000000Ki 100000000Gi
0.0Ki 0.0009765625Ki 0.00097656249Ki 0.0009765626Ki 1e0 1e15 1e16 -1e16 1e17 2e15 1e-19 1e1 1e2 1e3 1E3 1e-1 1e-3 1e-9 1e-10 12e6 100e1 1.5e3 1.5e2 1e18 1e19 -1e3 1e30 123456e-6
9223372036854775807 9223372036854775808 -9223372036854775808 -9223372036854775809 9223372036854775807.5 999999999999999999 1000000000000000000 100000000000000000 99999999999999999k
999999999999999999n 1234567890123456789m 123456789012345678m 18446744073709551616 18446744073709551616k 72057594037927935k 718834393590046398 10000000000000.500G 5000000000000000000 -5000000000000000000
9007199254740993u 123456789.123456789 0.123456789 0.1234567891 100000.000 1000.000 000 00.00 0.000 1000000m 1000000n 1000000000n
`)

var added = strings.Fields(`
0 0Gi 0e0 1 -1 1n 1m 1.5 1k 1Ki 1Gi 1.5Gi 1e3 1e-3 -1Gi 10E 9Ei 9223372036854775807 -9223372036854775808 9223372036854775807.5 5000000000000000000 999999999999999999n 1000.000
`)

var factors = []int64{0, 1, -1, 2, 3, 1000, 1 << 40}

func main() {
	if len(os.Args) > 1 {
		sums()
		return
	}
	fmt.Println("text\tcanonical\tformat\tvalue\tmilli\tkilo\tint64\tequals itself\tnegated\ttimes " + strings.Trim(strings.Join(strings.Fields(fmt.Sprint(factors)), " times "), "[]"))
	for _, text := range alone {
		q := resource.MustParse(text)
		whole := ""
		if number, ok := q.AsInt64(); ok {
			whole = fmt.Sprint(number)
		}
		negated := resource.MustParse(text)
		negated.Neg()
		var products []string
		for _, factor := range factors {
			product := resource.MustParse(text)
			product.Mul(factor)
			products = append(products, fmt.Sprintf("%s=%d=%d", &product, product.Value(), product.MilliValue()))
		}
		fmt.Printf("%s\t%s\t%s\t%d\t%d\t%d\t%s\t%t\t%s=%d\t%s\n", text, q.String(), q.Format, q.Value(), q.MilliValue(),
			q.ScaledValue(resource.Kilo), whole, resource.MustParse(text) == resource.MustParse(text), &negated, negated.Value(), strings.Join(products, " "))
	}
}

func sums() {
	fmt.Println("left\tright\tsum\tdifference\torder\tthe sum less the right equals the left")
	for _, left := range added {
		for _, right := range added {
			sum, difference, back := resource.MustParse(left), resource.MustParse(left), resource.MustParse(left)
			other := resource.MustParse(right)
			sum.Add(other)
			difference.Sub(other)
			back.Add(other)
			back.Sub(other)
			order := resource.MustParse(left)
			fmt.Printf("%s\t%s\t%s=%d %s\t%s=%d %s\t%d\t%t\n", left, right, &sum, sum.Value(), sum.Format,
				&difference, difference.Value(), difference.Format, order.Cmp(other), back == resource.MustParse(left))
		}
	}
}

// Loops outside of any world.
package main

func main() {
	for {
	}
}

; A household of our own, in the form of ALFWorld's problems.
(define (problem living_book)
(:domain alfred)
(:objects
  agent1 - agent
  Book_bar_1 Book_bar_2 KeyChain_bar_1 DeskLamp_bar_1 - object
  Sofa_bar_1 CoffeeTable_bar_1 SideTable_bar_1 SideTable_bar_2 Shelf_bar_1 Shelf_bar_2 Drawer_bar_1 Drawer_bar_2 Desk_bar_1 - receptacle
  loc_bar_0 loc_bar_1 loc_bar_2 loc_bar_3 loc_bar_4 loc_bar_5 loc_bar_6 loc_bar_7 loc_bar_8 loc_bar_9 - location
  BookType DeskLampType KeyChainType - otype
  CoffeeTableType DeskType DrawerType ShelfType SideTableType SofaType - rtype
)
(:init
  (= (total-cost) 0)
  (atLocation agent1 loc_bar_0)
  (receptacleType Sofa_bar_1 SofaType) (receptacleAtLocation Sofa_bar_1 loc_bar_1)
  (receptacleType CoffeeTable_bar_1 CoffeeTableType) (receptacleAtLocation CoffeeTable_bar_1 loc_bar_2)
  (receptacleType SideTable_bar_1 SideTableType) (receptacleAtLocation SideTable_bar_1 loc_bar_3)
  (receptacleType SideTable_bar_2 SideTableType) (receptacleAtLocation SideTable_bar_2 loc_bar_4)
  (receptacleType Shelf_bar_1 ShelfType) (receptacleAtLocation Shelf_bar_1 loc_bar_5)
  (receptacleType Shelf_bar_2 ShelfType) (receptacleAtLocation Shelf_bar_2 loc_bar_6)
  (receptacleType Drawer_bar_1 DrawerType) (receptacleAtLocation Drawer_bar_1 loc_bar_7) (openable Drawer_bar_1)
  (receptacleType Drawer_bar_2 DrawerType) (receptacleAtLocation Drawer_bar_2 loc_bar_8) (openable Drawer_bar_2)
  (receptacleType Desk_bar_1 DeskType) (receptacleAtLocation Desk_bar_1 loc_bar_9)
  (objectType Book_bar_1 BookType) (pickupable Book_bar_1) (inReceptacle Book_bar_1 Sofa_bar_1) (objectAtLocation Book_bar_1 loc_bar_1)
  (objectType Book_bar_2 BookType) (pickupable Book_bar_2) (inReceptacle Book_bar_2 Shelf_bar_2) (objectAtLocation Book_bar_2 loc_bar_6)
  (objectType KeyChain_bar_1 KeyChainType) (pickupable KeyChain_bar_1) (inReceptacle KeyChain_bar_1 Drawer_bar_1) (objectAtLocation KeyChain_bar_1 loc_bar_7)
  (objectType DeskLamp_bar_1 DeskLampType) (toggleable DeskLamp_bar_1) (inReceptacle DeskLamp_bar_1 SideTable_bar_2) (objectAtLocation DeskLamp_bar_1 loc_bar_4)
  (canContain CoffeeTableType BookType) (canContain CoffeeTableType DeskLampType) (canContain CoffeeTableType KeyChainType)
  (canContain DeskType BookType) (canContain DeskType DeskLampType) (canContain DeskType KeyChainType)
  (canContain DrawerType BookType) (canContain DrawerType DeskLampType) (canContain DrawerType KeyChainType)
  (canContain ShelfType BookType) (canContain ShelfType DeskLampType) (canContain ShelfType KeyChainType)
  (canContain SideTableType BookType) (canContain SideTableType DeskLampType) (canContain SideTableType KeyChainType)
  (canContain SofaType BookType) (canContain SofaType DeskLampType) (canContain SofaType KeyChainType)
)
(:goal (and
  (exists (?lamp - object ?r - receptacle ?a - agent ?l - location)
    (and (objectType ?lamp DeskLampType) (toggleable ?lamp) (isToggled ?lamp)
         (receptacleAtLocation ?r ?l) (atLocation ?a ?l) (inReceptacle ?lamp ?r)))
  (exists (?o - object ?a - agent)
    (and (objectType ?o BookType) (holds ?a ?o)))
))
)
